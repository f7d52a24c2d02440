// Nothing: what the compiler takes to start.
