"""What is made from the tool's own options: completion in three shells, and the manual page."""

import pathlib
import re
import shutil
import subprocess

from cli_outcomes import CLI, COMMANDS, expect, run, run_checks


def outcome(done):
    return done.returncode, done.stderr


def bash_completes(folder, *words):
    script = (
        f'eval "$("{CLI}" completion bash)"; COMP_WORDS=(safestructures "$@"); '
        'COMP_CWORD=$#; _safestructures; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True)
    expect(f"bash: {words}: no error", "", done.stderr)
    return done.stdout.split()


def check_completion(folder):
    """Every command and every option of its help text is completed, and nothing else."""
    expect("bash: commands", COMMANDS, [w for w in bash_completes(folder, "") if w[0] != "-"])
    expect("bash: the start of one", ["convert", "completion"], bash_completes(folder, "co"))
    for command in COMMANDS:
        options = re.findall(r"^ +(?:(-\w),)?(--[\w-]+)", run(folder, "help", command).stdout, re.M)
        expected = sorted(name for pair in options for name in pair if name)
        expect(f"bash: {command}", expected, sorted(set(bash_completes(folder, command, "-"))))
    precisions = ["preserve", "f32", "f16", "bf16", "f64"]
    expect("bash: values", precisions, bash_completes(folder, "convert", "--precision", ""))
    expect("bash: some", ["f32", "f16", "f64"], bash_completes(folder, "convert", "--precision", "f"))
    expect("bash: behind =", ["name", "norm", "nan"], bash_completes(folder, "stats", "--sort", "=", "n"))
    expect("bash: files", [], bash_completes(folder, "get", "-o", "x"))
    expect("bash: shells", ["bash", "zsh", "fish"], bash_completes(folder, "completion", ""))
    check_zsh(folder)
    check_fish(folder)


def check_zsh(folder):
    script = run(folder, "completion", "zsh").stdout
    for word in ("--precision", "(preserve f32 f16 bf16 f64)", "show:Show the structure"):
        expect(f"zsh: {word}", True, word in script)
    if shutil.which("zsh"):
        done = subprocess.run(["zsh", "-n"], input=script, capture_output=True, text=True)
        expect("zsh reads it", (0, ""), outcome(done))


def check_fish(folder):
    script = run(folder, "completion", "fish").stdout
    expect("fish: values", True, "-l precision -x -a 'preserve f32 f16 bf16 f64'" in script)
    if shutil.which("fish"):
        (pathlib.Path(folder) / "completion.fish").write_text(script)
        ask = "source completion.fish; complete -C 'safestructures convert --precision '"
        done = subprocess.run(["fish", "-c", ask], cwd=folder, capture_output=True, text=True)
        words = {line.split("\t")[0] for line in done.stdout.splitlines()}
        expect("fish completes", {"preserve", "f32", "f16", "bf16", "f64"}, words)


def check_manual(folder):
    """The manual has every command and option, and groff finds nothing to say of it."""
    page = run(folder, "help", "--man").stdout
    expect("its head", True, page.startswith('.TH SAFESTRUCTURES 1 "" "safestructures '))
    if not shutil.which("groff"):
        return
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True
    )
    expect("no warning", (0, ""), outcome(done))
    text = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=200n"], input=page, capture_output=True, text=True
    ).stdout
    for command in COMMANDS:
        for word in re.findall(r"--[\w-]+", run(folder, "help", command).stdout):
            expect(f"the manual: {command} {word}", True, word in text)
    expect("the manual: examples", True, "safestructures get model.safetensors /config/epochs" in text)


run_checks(check_completion, check_manual)
