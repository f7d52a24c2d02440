"""Hooks on the modules of a torch model."""

import contextlib
import sys

from safestructures_cpp import globs


def register_pre_hook(module, hook):
    """Makes a torch module call `hook(module, args, keywords)` before it begins."""
    try:
        return module.register_forward_pre_hook(hook, with_kwargs=True)
    except TypeError:  # torch before 2.0, which passes hooks no keywords
        return module.register_forward_pre_hook(hook)


def modules_of(model):
    """Yields (dotted name, module) for each module; for one made by torch.compile, the original module."""
    for path, module in model.named_modules():
        # torch.compile's own name for the original module, which the other run's model does not have. Not hasattr():
        # wrappers may pass on the attributes of what they wrap.
        if "_orig_mod" not in module._modules:
            yield ".".join(part for part in path.split(".") if part != "_orig_mod"), module


def wanted_modules(model, name, only):
    """Returns (scope name, output name, module) for the modules that a glob matches. Raises ValueError if none does."""
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


def attach(record, model, name, only, inputs, step_on=None):
    """Makes modules call `record(name, value)` when they are called; returns the hooks' handles.

    `step_on()`, if given, is called after each call of the model.

    Raises ValueError if `only` matches no module, and TypeError for a module that takes no hooks. After an error, no
    hooks are left.
    """
    handles = []
    try:
        for scope, whole, module in wanted_modules(model, name, only):
            with refusing(whole, "select others with `only`"):
                if inputs:
                    handles.append(register_pre_hook(module, uncompiled(input_hook(record, scope))))
                handles.append(module.register_forward_hook(uncompiled(output_hook(record, whole))))
        if step_on is not None:
            with refusing(name or "output", "leave out `steps`"):
                handles.append(model.register_forward_hook(uncompiled(lambda *_: step_on())))
    except BaseException:
        remove(handles)
        raise
    compile_anew()
    return handles


@contextlib.contextmanager
def refusing(name, otherwise):
    """Raises TypeError for a module that takes no hooks."""
    try:
        yield
    except RuntimeError as error:  # Raised by modules of torch.jit.
        raise TypeError(
            f"the module {name!r} cannot take hooks ({error}). Attach the model that it was made from, or {otherwise}"
        ) from error


def output_hook(record, name):
    """Returns a hook that records a module's output."""
    return lambda module, args, output: record(name, output)


def input_hook(record, scope):
    """Returns a hook that records a module's inputs."""
    start = f"{scope}." if scope else ""

    def hook(module, args, keywords=None):
        if args:
            record(f"{start}input", args[0] if len(args) == 1 else args)
        if keywords:
            record(f"{start}inputs" if args else f"{start}input", keywords)

    return hook


def remove(handles):
    """Removes hooks."""
    for handle in handles:
        handle.remove()
    if handles:
        compile_anew()


def uncompiled(hook):
    """Returns the hook marked so that torch.compile does not compile the recording code, which would take seconds."""
    disable = getattr(sys.modules.get("torch._dynamo"), "disable", None)  # Importing it takes seconds, too.
    return hook if disable is None else disable(hook)


def compile_anew():
    """Makes torch recompile everything: compiled code does not see hooks that are added or removed."""
    reset = getattr(sys.modules.get("torch._dynamo"), "reset", None)
    if reset is not None:
        reset()
