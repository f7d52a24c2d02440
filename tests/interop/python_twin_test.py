"""The Python twin of a C++ codec, as docs/plugins.md has it: loads what C++ saves, and saves the same."""

import sys

import checks

sys.path.insert(0, str(checks.HERE.parents[1] / "docs" / "examples"))

import acme
import notation
import numpy as np
import safestructures
from cli_outcomes import REPORT, expect, raised, run

# What save_file(Money(1250), "money.safetensors") writes.
SCHEMA = '{"data_type": "acme.Money", "value": {"data_type": "int", "value": "1250"}}'


def write(schema):
    metadata = {notation.SCHEMA_FIELD: schema, notation.VERSION_FIELD: "1.0.0"}
    safestructures.serializer.save_file({"null": np.array([0])}, "money.safetensors", metadata=metadata)


def main():
    write(SCHEMA)
    money = safestructures.load_file("money.safetensors", plugins=[acme.MoneyProcessor])
    safestructures.save_file(money, "again.safetensors", plugins=[acme.MoneyProcessor])

    expect("money", (acme.Money, 1250), (type(money), money.cents))
    expect("saved again", SCHEMA, notation.read_container("again.safetensors")[0][notation.SCHEMA_FIELD])
    expect("opened by C++", 0, run(None, "get", "again.safetensors", "/").returncode)
    # A name that is no class of a module that can be imported.
    for name in ("no_such_module.Money", "Money", "acme.NoMoney"):
        write(SCHEMA.replace("acme.Money", name))
        load = lambda: safestructures.load_file("money.safetensors", plugins=[acme.MoneyProcessor])
        expect(name, f"Cannot import type: {name}", raised(ImportError, load))
    REPORT.finish()


main()
