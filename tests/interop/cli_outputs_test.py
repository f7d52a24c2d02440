"""What a command writes takes the place of nothing that it reads."""

import pathlib
import shutil

import numpy as np
from cli_outcomes import expect, run, run_checks
from safetensors.numpy import save_file


def contents(folder):
    return {path: path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def check_inputs_stay(folder):
    """Each is refused in one line, before anything is written."""
    folder = pathlib.Path(folder)
    for name in ("a", "b", "again"):
        save_file({"x": np.float32([1, 2])}, folder / f"{name}.safetensors")
    (folder / "text.json").write_text('{"name": "x"}')
    (folder / "rules.txt").write_text("# Why it has another name.\n/x=/x\n")
    (folder / "link.html").symlink_to("a.safetensors")
    (folder / "alone").mkdir()
    shutil.copy(folder / "a.safetensors", folder / "alone" / "model.safetensors")
    shutil.copytree(folder / "killed", folder / "run")
    (folder / "nz").mkdir()
    shutil.copy(folder / "arrays.npz", folder / "nz" / "n.npz")
    run(folder, "convert", "model.safetensors", "s.safetensors", "--shard-size", "40")
    index = "s.safetensors.index.json"
    shard = next(path.name for path in sorted(folder.glob("s-*-of-*.safetensors")))
    (folder / "link.txt").symlink_to(shard)
    segment = next(path.name for path in (folder / "run").iterdir() if path.name.startswith("segment-"))
    before = contents(folder)
    noise = ["a.safetensors", "b.safetensors", "--noise", "again.safetensors"]
    for command, option, output in (
        (["report", "a.safetensors"], "-o", "a.safetensors"),
        (["report", "a.safetensors"], "-o", "./a.safetensors"),
        (["report", "a.safetensors"], "-o", "link.html"),
        (["report", *noise], "-o", "b.safetensors"),
        (["report", *noise], "-o", "again.safetensors"),
        (["report", "alone"], "-o", "alone/model.safetensors"),
        (["report", "run"], "-o", f"run/{segment}"),
        (["report", "run"], "-o", "run/recording.lock"),
        (["diff", *noise], "--save-renames", "b.safetensors"),
        (["diff", *noise], "--save-renames", "again.safetensors"),
        (["diff", "run", "run"], "--save-renames", f"run/{segment}"),
        (["diff", "a.safetensors", "b.safetensors", "--renames", "rules.txt"], "--save-renames", "rules.txt"),
        (["report", "a.safetensors", "b.safetensors", "--renames", "rules.txt"], "-o", "rules.txt"),
        (["get", "text.json", "/name"], "-o", "text.json"),
        (["get", "alone", "/x"], "-o", "alone/model.safetensors"),
        (["get", index, "/name"], "-o", shard),
        (["get", index, "/name"], "-o", "link.txt"),
        (["report", index], "-o", shard),
        (["report", "a.safetensors", index], "-o", shard),
        (["diff", "a.safetensors", "b.safetensors", "--noise", index], "--save-renames", shard),
        (["report", "nz"], "-o", "nz/n.npz"),
    ):
        message = f"safestructures: {option}: {output} is also an input and would be overwritten: name another file.\n"
        done = run(folder, *command, option, output)
        expect(
            f"{command} {option} {output}",
            (2, "", message),
            (done.returncode, done.stdout, done.stderr),
        )
    expect("nothing is touched", before, contents(folder))


def check_index_stays(folder):
    """Without a size a file is written that nobody could open by the name of an index."""
    index = "s.safetensors.index.json"
    run(folder, "convert", "model.safetensors", index, "--shard-size", "40")
    before = contents(folder)
    for output in (index, f"{index}.gz", "new.safetensors.index.json"):
        done = run(folder, "convert", index, output)
        name = output.removesuffix(".gz")
        message = (
            f"safestructures: {output}: the name is that of an index of several files: expected a name such as"
            f" m.safetensors, found '{name}'. Choose another name, or split what is saved"
            " (SaveOptions::shard_size, or convert --shard-size in the tool).\n"
        )
        expect(output, (2, "", message), (done.returncode, done.stdout, done.stderr))
    expect("the index is not touched", before, contents(folder))
    expect("with a size", 0, run(folder, "convert", index, index, "--shard-size", "1KB").returncode)
    expect("with a size: verify", 0, run(folder, "verify", index).returncode)


def check_removed_shards(folder):
    """Whose shards are gone is told which, of many the first."""
    folder = pathlib.Path(folder)
    save_file({name: np.float32([1, 2]) for name in "abcd"}, folder / "in.safetensors")
    run(folder, "convert", "in.safetensors", "m.safetensors", "--shard-size", "16")
    shard = "m-0000{}-of-0000{}.safetensors".format
    gone = ["m.safetensors.index.json", shard(1, 2), shard(2, 2)]
    done = run(folder, "convert", gone[0], "m.safetensors", "--shard-size", "1KB")
    expect("one file", "removed 3 files of the earlier save there: " + ", ".join(gone), done.stdout.splitlines()[1])
    done = run(folder, "convert", "m.safetensors", "m.safetensors", "--shard-size", "8")
    expect("shards", "removed 1 file of the earlier save there: m.safetensors", done.stdout.splitlines()[1])
    done = run(folder, "convert", gone[0], "m.safetensors", "--shard-size", "1KB")
    gone = [gone[0], *(shard(i, 4) for i in (1, 2, 3))]
    said = "removed 5 files of the earlier save there: " + ", ".join(gone) + ", ..."
    expect("many", said, done.stdout.splitlines()[1])
    expect("nothing to remove", 1, len(run(folder, "convert", "in.safetensors", "m.safetensors").stdout.splitlines()))


def check_others_are_replaced(folder):
    """What was written before, beside inputs too."""
    folder = pathlib.Path(folder)
    save_file({"x": np.float32([1, 2])}, folder / "a.safetensors")
    save_file({"y": np.float32([1, 2])}, folder / "b.safetensors")
    shutil.copytree(folder / "killed", folder / "run")
    for _ in range(2):
        expect("a page in the folder of a run", 0, run(folder, "report", "run", "-o", "run/report.html").returncode)
        run(folder, "diff", "a.safetensors", "b.safetensors", "--save-renames", "names.txt")
        expect("rules", True, "/x=/y\n" in (folder / "names.txt").read_text())
    done = run(folder, "get", "a.safetensors", "/x", "-o", "b.safetensors")
    expect("of another format", 2, done.returncode)
    run(folder, "convert", "model.safetensors", "s.safetensors", "--shard-size", "40")
    done = run(folder, "get", "s.safetensors.index.json", "/name", "-o", "b.safetensors")
    expect("what the index does not name", 0, done.returncode)
    expect("what the index does not name: it is replaced", b"tiny", (folder / "b.safetensors").read_bytes())


def check_nothing_to_show(folder):
    """A file without tensors is said to be one."""
    (pathlib.Path(folder) / "none.json").write_text('{"name": "x"}')
    done = run(folder, "stats", "none.json")
    expect("stats", (0, "", "safestructures: note: none.json: no tensors\n"), (done.returncode, done.stdout, done.stderr))
    done = run(folder, "stats", "none.json", "--json")
    expect("stats --json", (0, "[]\n"), (done.returncode, done.stdout.replace("[\n", "[")))


run_checks(
    check_inputs_stay,
    check_index_stays,
    check_removed_shards,
    check_others_are_replaced,
    check_nothing_to_show,
)
