"""Checks that nothing which Python's `safetensors` refuses is accepted here.

    python check_malformed.py CLI DIR [EXCEPTIONS]

Each file in DIR is opened by the package, every tensor read, and given to `CLI verify`. EXCEPTIONS
(DIR/exceptions.txt unless given) lists names, one a line, `#` starts a comment, that may be
accepted though Python refuses them; a name there that is no longer such a case is a failure.
"""

import pathlib

import checks
from safetensors import SafetensorError, safe_open


def python_refusal(path):
    """Why the package refuses the file, or None. That NumPy lacks a dtype is no refusal."""
    try:
        with safe_open(path, framework="np") as file:
            for name in file.keys():
                try:
                    file.get_tensor(name)
                except (AttributeError, TypeError):
                    pass
                except SafetensorError as error:
                    if "Dtype not understood" not in str(error):
                        raise
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the Rust code does not derive from Exception
        return f"{type(error).__name__}: {error}"
    return None


def read_exceptions(path):
    if not path.exists():
        return set()
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split("#")[0].strip() for line in lines} - {""}


def main():
    cli, folder, *rest = checks.arguments(__doc__, (2, 3))
    exceptions_file = pathlib.Path(rest[0] if rest else pathlib.Path(folder) / "exceptions.txt")
    exceptions = read_exceptions(exceptions_file)
    report = checks.Report()
    for path in sorted(pathlib.Path(folder).iterdir()):
        if not path.is_file() or path.suffix in (".txt", ".json", ".md", ".py"):
            continue
        refusal = python_refusal(path)
        code, _, reason = checks.run(cli, "verify", path)
        if code not in (0, 1):
            report.fail(path.name, f"verify: expected exit code 0 or 1, found {code}: {reason}")
        elif refusal and code == 0:
            if path.name not in exceptions:
                report.fail(path.name, f"accepted, though Python refuses it: {refusal}")
            exceptions.discard(path.name)
            report.count("accepted only here")
        elif refusal:
            report.count("refused by both")
        elif code == 0:
            report.count("accepted by both")
        else:
            report.count("refused only here")
    for name in sorted(exceptions):
        report.fail(name, f"listed in {exceptions_file.name} without need")
    report.finish()


if __name__ == "__main__":
    main()
