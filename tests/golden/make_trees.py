#!/usr/bin/env python3
"""Writes the golden trees: files of Python's msgpack and cbor2, and what they hold.

    python tests/golden/make_trees.py [OUT_DIR]

needs msgpack 1.2.4 and cbor2 6.3.0. Run twice, it writes the same bytes. For every NAME.msgpack and
NAME.cbor there is a NAME.json in the notation of docs/json.md, written by hand below: what they are
expected to load as.
"""

import datetime
import pathlib
import sys
import uuid

import cbor2
import msgpack

NAN, INF = float("nan"), float("inf")

NATURAL = {
    "none": None, "yes": True, "no": False,
    "ints": [0, 1, 23, 24, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**63,
             2**64 - 1, -1, -24, -25, -32, -33, -128, -129, -32768, -32769, -2**31, -2**31 - 1,
             -2**63],
    "floats": [0.0, -0.0, 1.5, 0.1, 1e300, 5e-324, INF, -INF, NAN],
    "texts": ["", "a", "\u00e9\U0001f600", "x" * 31, "x" * 32, "x" * 255, "x" * 256],
    "empty": [[], {}],
    "nested": [[1, [2, [3, {"a": [4]}]]]],
    "many": list(range(300)),
}
NATURAL_JSON = """{
"none": null, "yes": true, "no": false,
"ints": [0, 1, 23, 24, 127, 128, 255, 256, 65535, 65536, 4294967295, 4294967296,
9223372036854775807, 9223372036854775808, 18446744073709551615, -1, -24, -25, -32, -33, -128, -129,
-32768, -32769, -2147483648, -2147483649, -9223372036854775808],
"floats": [0.0, -0.0, 1.5, 0.1, 1e300, 5e-324, {"$float": "inf"}, {"$float": "-inf"},
{"$float": "nan"}],
"texts": ["", "a", "\\u00e9\\ud83d\\ude00", "%s", "%s", "%s", "%s"],
"empty": [[], {}],
"nested": [[1, [2, [3, {"a": [4]}]]]],
"many": [%s]
}
""" % (*("x" * n for n in (31, 32, 255, 256)), ",".join(str(i) for i in range(300)))

# Python's dict takes 1, 1.0 and True for one key.
KEYS = {1: "int", -7: "negative", 2**64 - 1: "large", "1": "text", 1.5: "float", False: "no",
        None: "none", b"ab": "bytes"}
KEYS_JSON = """{"$dict": [[1, "int"], [-7, "negative"], [18446744073709551615, "large"],
["1", "text"], [1.5, "float"], [false, "no"], [null, "none"], [{"$bytes": "YWI="}, "bytes"]]}
"""

BYTES = [b"", b"ab", b"\0" * 300]
BYTES_JSON = '[{"$bytes": ""}, {"$bytes": "YWI="}, {"$bytes": "%s"}]\n' % ("A" * 400)

MOMENT = datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.timezone.utc)
TIMES_MSGPACK = [msgpack.Timestamp(0), msgpack.Timestamp(1700000000, 5),
                 msgpack.Timestamp(-1, 999999999), msgpack.Timestamp(2**33), msgpack.ExtType(5, b"ab"),
                 msgpack.Timestamp(2**62)]
TIMES_MSGPACK_JSON = """[{"clock": "system_clock", "nanoseconds": 0},
{"clock": "system_clock", "nanoseconds": 1700000000000000005},
{"clock": "system_clock", "nanoseconds": -1},
{"clock": "system_clock", "nanoseconds": 8589934592000000000},
{"$custom": "messagepack.Extension", "value": [5, {"$bytes": "YWI="}]},
{"$custom": "messagepack.Extension", "value": [-1, {"$bytes": "AAAAAEAAAAAAAAAA"}]}]
"""

TAGS_CBOR = [2**64, -2**64, -2**64 - 1, 2**200, -2**200, cbor2.undefined, MOMENT,
             cbor2.CBORTag(1, 1700000000), cbor2.CBORTag(1, 1.5), cbor2.CBORTag(40000, [1, b"a"]),
             uuid.UUID(int=1), 1.0, 3.0e38, cbor2.CBORTag(1, "odd")]
TAGS_CBOR_JSON = """[18446744073709551616, -18446744073709551616, -18446744073709551617,
%d, %d, null, {"$custom": "cbor.Tag", "value": [0, "2023-11-14T22:13:20Z"]},
{"clock": "system_clock", "seconds": 1700000000}, {"clock": "system_clock", "seconds": 1.5},
{"$custom": "cbor.Tag", "value": [40000, [1, {"$bytes": "YQ=="}]]},
{"$custom": "cbor.Tag", "value": [37, {"$bytes": "AAAAAAAAAAAAAAAAAAAAAQ=="}]}, 1.0, 3e38,
{"$custom": "cbor.Tag", "value": [1, "odd"]}]
""" % (2**200, -2**200)


def pack(value):
    return msgpack.packb(value, use_bin_type=True)


def indefinite():
    """Lengths that are not announced, which cbor2 does not write: by hand."""
    # {"a": [1, (_ "x", "yz"), (_ h'61', h'62')], "b": {}} with no length announced.
    return bytes.fromhex("bf6161 9f01 7f6178 62797aff 5f41614162ff ff 6162 bfff ff")


FILES = {
    "natural": (NATURAL_JSON, {"msgpack": lambda: pack(NATURAL), "cbor": lambda: cbor2.dumps(NATURAL)}),
    "keys": (KEYS_JSON, {"msgpack": lambda: pack(KEYS), "cbor": lambda: cbor2.dumps(KEYS)}),
    "bytes": (BYTES_JSON, {"msgpack": lambda: pack(BYTES), "cbor": lambda: cbor2.dumps(BYTES)}),
    "times": (TIMES_MSGPACK_JSON, {"msgpack": lambda: pack(TIMES_MSGPACK)}),
    "tags": (TAGS_CBOR_JSON, {"cbor": lambda: cbor2.dumps(TAGS_CBOR)}),
    "pieces": ('{"a": [1, "xyz", {"$bytes": "YWI="}], "b": {}}\n', {"cbor": indefinite}),
    "single": ("[1.5, 0.10000000149011612]\n",
               {"msgpack": lambda: msgpack.packb([1.5, 0.1], use_single_float=True),
                "cbor": lambda: bytes.fromhex("82f93e00fa3dcccccd")}),
}

def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "trees")
    folder.mkdir(exist_ok=True)
    for name, (expected, makers) in FILES.items():
        (folder / f"{name}.json").write_text(expected, encoding="utf-8")
        for ending, make in makers.items():
            (folder / f"{name}.{ending}").write_bytes(make())


if __name__ == "__main__":
    main()
