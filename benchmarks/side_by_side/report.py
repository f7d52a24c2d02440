"""The results as Markdown."""

from rows import LIMIT, OURS, PEER

UNITS = {"ms": 1e6, "us": 1e3}
SECONDS = 1000  # From here on milliseconds are shown without decimals.


def number(value):
    if value >= SECONDS:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.3f}"


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def records_text(count, size):
    """So many records of so many bytes."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size % unit == 0:
            return f"{count:,} of {size // unit} {name}"
    return f"{count:,} of {size:,} B"


def table(head, rows):
    # Text to the left in the first columns, numbers to the right.
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("|" + "|".join("---" if name in ("", "target") else "--:" for name in head) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def row_cells(row, result, limit, ours, unit):
    if "failed" in result:
        return [row.label, f"failed: {result['failed']}", "", "", "", "", ""]
    scale = UNITS[unit]
    cells = [row.label] + [number(result[part] / scale) for part in ("min", "median", "max")]
    cells.append(ratio(result["median"] / limit) if limit else "")
    cells.append(f"{ratio(result['median'] / ours)}x" if ours and row.role == PEER else "")
    cells.append(f"{result['peak'] / (1 << 20):,.1f}")
    return cells


def first_median(quantity, summaries, role):
    for row in quantity.rows:
        result = summaries.get((quantity.name, row.label), {})
        if row.role == role and "median" in result:
            return result["median"]
    return None


def workload(item, summaries):
    parts = [f"### {item.name}: {item.title}"]
    for quantity in item.quantities:
        limit = first_median(quantity, summaries, LIMIT)
        ours = first_median(quantity, summaries, OURS)
        head = [
            "",
            f"min {quantity.unit}",
            "median",
            "max",
            "of the limit",
            "time of ours",
            "memory MiB",
        ]
        rows = [
            row_cells(row, summaries[quantity.name, row.label], limit, ours, quantity.unit)
            for row in quantity.rows
            if (quantity.name, row.label) in summaries
        ]
        parts.append(f"{item.name} {quantity.name}:\n\n{table(head, rows)}")
    return "\n\n".join(parts) + "\n"


def targets(judged):
    rows = []
    for entry in judged:
        if entry.measured is None:
            verdict = "not measured"
        elif entry.met:
            verdict = "met"
        else:
            verdict = f"missed: {entry.explanation}" if entry.explanation else "missed"
        measured = "" if entry.measured is None else number(entry.measured)
        rows.append([entry.text, f"{entry.sign} {entry.bound:g} {entry.unit}".strip(), measured, verdict])
    head = ["target", "asked", "measured", "verdict"]
    return "## Targets\n\n" + table(head, rows) + "\n"


def compile_cost(results):
    rows = [
        [name, compiler, number(cost["seconds"]), number(cost["more"]), f"{cost['kilobytes']:,.0f}"]
        for (compiler, name), cost in results["compile"].items()
    ]
    sizes = "\n".join(f"- {name}: {size / 1024:,.0f} KiB" for name, size in results["sizes"].items())
    head = ["", "compiler", "seconds", "more than an empty file", "object KiB"]
    return f"### Compile time and size\n\n{table(head, rows)}\n\n{sizes}\n"


def embedding(history):
    """The rows of embedding.csv."""
    head = list(history[0])
    rows = [[row[name] or "" for name in head] for row in history]
    return (
        "### What a program pays for it\n\n"
        "A source file that saves and loads ten structs of ten fields: seconds more than for an empty\n"
        "one, and its code. Start: the tool shows a small file. Seconds and milliseconds are of the\n"
        "machine that the row was measured on.\n\n" + table(head, rows) + "\n"
    )


def parts(results):
    rows = [
        [entry["name"], number(entry["ns"] / 1e3), entry["rate"], number(entry["per_item"])]
        for entry in results
    ]
    head = ["", "us", "GB/s", "ns an item"]
    return f"### Parts (Google Benchmark)\n\n{table(head, rows)}\n"


def document(machine, missing, repetitions, verdict, sections):
    absent = "\n".join(f"- {name}: {reason}" for name, reason in missing.items())
    lines = [
        "# Results",
        "",
        "Written by `./dev bench`. How it is measured and why: [docs/performance.md](../docs/performance.md).",
        "Absolute figures orient; ratios within one run count.",
        f"Medians of {repetitions} interleaved repetitions (fewer for rows that take seconds), each in a",
        "process of its own, with the page cache warm unless said. Memory is the resident memory above",
        "what was there before, at its highest; mapped pages of a file count. `./dev bench sweep` shows",
        "how the ratios go with the size of a tensor.",
        "",
        table(["", "machine"], [[name, value] for name, value in machine]),
        "",
        "Peers that were missing:" if missing else "No peer was missing.",
        *([absent] if missing else []),
        "",
        verdict,
        "## Tables",
        "",
        "\n".join(sections),
    ]
    return "\n".join(lines)
