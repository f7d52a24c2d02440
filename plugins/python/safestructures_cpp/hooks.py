"""Hooks on the modules of a torch model."""

import sys

from safestructures_cpp import globs


def register_pre_hook(module, hook):
    """Lets a torch module call `hook(module, args, keywords)` before it begins."""
    try:
        return module.register_forward_pre_hook(hook, with_kwargs=True)
    except TypeError:  # torch before 2.0, which tells hooks of no keywords
        return module.register_forward_pre_hook(hook)


def modules_of(model):
    """(the dotted name, the module) of each; of what torch.compile made the module that it was made of."""
    for path, module in model.named_modules():
        # Its name for what it compiled: the model of the other run has none.
        if not hasattr(module, "_orig_mod"):
            yield ".".join(part for part in path.split(".") if part != "_orig_mod"), module


def wanted_modules(model, name, only):
    """(the name of its scope, that of its output, the module) of those that a glob matches. Raises ValueError."""
    names = []
    wanted = []
    for path, module in modules_of(model):
        scope = ".".join(part for part in (name, path) if part)
        whole = scope or "output"
        names.append(whole)
        if any(globs.matches(glob, whole) for glob in only):
            wanted.append((scope, whole, module))
    if not wanted:
        said = ", ".join(names[:8]) + (" ..." if len(names) > 8 else "")
        raise ValueError(f"only={only!r} matches no module of the model. It has {said}: globs match whole names")
    return wanted


def attach(record, model, name, only, inputs):
    """Lets modules call `record(name, value)` when they are called; returns the hooks' handles.

    Raises ValueError where `only` matches none, TypeError for a module that takes no hooks; then none has any.
    """
    handles = []
    try:
        for scope, whole, module in wanted_modules(model, name, only):
            try:
                if inputs:
                    handles.append(register_pre_hook(module, uncompiled(input_hook(record, scope))))
                handles.append(module.register_forward_hook(uncompiled(output_hook(record, whole))))
            except RuntimeError as error:  # Of those of torch.jit.
                raise TypeError(
                    f"the module {whole!r} takes no hooks ({error}). Attach the model that it was made of, or name"
                    " others by `only`"
                ) from error
    except BaseException:
        remove(handles)
        raise
    compile_anew()
    return handles


def output_hook(record, name):
    """A hook that records what a module gives."""
    return lambda module, args, output: record(name, output)


def input_hook(record, scope):
    """A hook that records what a module is given."""
    start = f"{scope}." if scope else ""

    def hook(module, args, keywords=None):
        if args:
            record(f"{start}input", args[0] if len(args) == 1 else args)
        if keywords:
            record(f"{start}inputs" if args else f"{start}input", keywords)

    return hook


def remove(handles):
    """Takes hooks away."""
    for handle in handles:
        handle.remove()
    if handles:
        compile_anew()


def uncompiled(hook):
    """The hook as one that torch.compile calls as it is; else it compiles what records, which takes seconds."""
    disable = getattr(sys.modules.get("torch._dynamo"), "disable", None)  # Importing it takes seconds, too.
    return hook if disable is None else disable(hook)


def compile_anew():
    """Has torch compile what it has compiled once more: what is compiled knows of no hooks that come or go."""
    reset = getattr(sys.modules.get("torch._dynamo"), "reset", None)
    if reset is not None:
        reset()
