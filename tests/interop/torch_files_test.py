"""What the torch at hand saves is read as what it is, by each way of saving: skipped without torch."""

import json
import pathlib
import subprocess
import tempfile

import checks  # noqa: F401, finds the package
import numpy as np
from cli_outcomes import expect, run
from safetensors.numpy import load_file
from torch_python import python_with_torch

# Run by the Python that has torch: saves the same model in many ways, and what it holds as JSON.
SAVE = """
import json, sys, torch

torch.manual_seed(3)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.LSTM(4, 5), torch.nn.Embedding(7, 3)
)
model[4].weight.data = torch.randn(3, 7).t()
state = {name: tensor.detach() for name, tensor in model.state_dict().items()}
torch.save(model.state_dict(), "state.pt")
torch.save(model.state_dict(), "old.pt", _use_new_zipfile_serialization=False)
torch.save(model.state_dict(), "protocol_5.pt", pickle_protocol=5)
torch.save({"model": model.state_dict(), "epoch": 3}, "checkpoint.pt")
torch.jit.script(torch.nn.Linear(2, 3)).save("script.pt")
halves = {str(d)[6:]: torch.tensor([1.5, -2.0]).to(d) for d in (torch.float16, torch.bfloat16, torch.float64)}
torch.save(halves, "halves.pt")
quantized = torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8)
torch.save({"q": quantized}, "quantized.pt")
with open("expected.json", "w") as file:
    json.dump({name: [str(tensor.dtype)[6:], tensor.tolist()] for name, tensor in state.items()}, file)
print(torch.__version__)
"""

HALVES = {"float16": "F16 [2]  1.5, -2.0", "bfloat16": "BF16 [2]  1.5, -2.0", "float64": "F64 [2]  1.5, -2.0"}


def check_state(folder, name, expected):
    """The file becomes a plain one of the same tensors, whose checksums matched."""
    done = run(folder, "convert", name, "out.safetensors")
    expect(f"{name}: converted", (0, ""), (done.returncode, done.stderr))
    found = load_file(folder / "out.safetensors")
    expect(f"{name}: names", sorted(expected), sorted(found))
    for key, (dtype, numbers) in expected.items():
        wanted = np.array(numbers, dtype=dtype)
        same = found[key].dtype == wanted.dtype and np.array_equal(found[key], wanted)
        expect(f"{name}: {key}", True, same)
    expect(f"{name}: checksums", name != "old.pt", "checksums match" in run(folder, "verify", name).stdout)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python, environment = python_with_torch(folder / "packages")
        done = subprocess.run([python, "-W", "ignore", "-c", SAVE], cwd=folder, env=environment, capture_output=True)
        expect("torch saves", 0, done.returncode)
        print("torch", done.stdout.decode().strip())
        expected = json.loads((folder / "expected.json").read_text())
        for file in ("state.pt", "old.pt", "protocol_5.pt"):
            check_state(folder, file, expected)
        expect("the same by diff", 0, run(folder, "diff", "state.pt", "old.pt").returncode)
        expect("another by diff", 1, run(folder, "diff", "state.pt", "checkpoint.pt").returncode)
        for key, text in HALVES.items():
            expect(key, text, run(folder, "show", "halves.pt", f"/{key}").stdout.strip())
        expect("script", "F32 [3]", run(folder, "show", "script.pt", "/bias").stdout.strip()[:7])
        done = run(folder, "show", "quantized.pt")
        expect(
            "quantized",
            "safestructures: quantized.pt: at /q/0: a storage has a type that no dtype here is for: found "
            "'torch.QInt8Storage'. Convert the tensor before it is saved, such as by dequantize().\n",
            done.stderr,
        )
        expect("quantized is refused", 1, done.returncode)
    print("what torch saved is read")


if __name__ == "__main__":
    main()
