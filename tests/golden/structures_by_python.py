"""The structures that make_structures.py saves with Python's own package, group by group."""

import dataclasses

import golden_types
import ml_dtypes
import notation
import numpy as np


def scalars(out):
    powers = [10**k for k in (0, 1, 9, 18, 19, 20, 40, 308, 4299)]
    edges = [2**k + d for k in (7, 8, 15, 16, 31, 32, 53, 63, 64, 128) for d in (-1, 0, 1)]
    out.save("integers_of_every_size", [0] + [s * n for n in powers + edges for s in (1, -1)])
    floats = [0.0, 1.0, 0.1, 1 / 3, 1.5, 100.0, 123456789.0, 3.14159, 2.0**53, 2.0**63, 2.0**64]
    floats += [1e-4, 1e-05, 0.00012345, 1.5e-07, 1e15, 1e16, 1.5e16, 123456789012345680.0, 1e22]
    floats += [1e23, 9007199254740993.0, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308]
    floats += [1.7976931348623157e308, 1e100, 4.35, 0.3, 2.675, 1e21, 123e-7, 999999999999999.9]
    both = [s * f for f in floats for s in (1, -1)]
    out.save("floats_of_every_spelling", both)
    out.save("special_floats", [float("inf"), float("-inf"), float("nan"), -float("nan")])
    rng = np.random.default_rng(20240229)
    random_bits = rng.integers(0, 2**64, 400, dtype=np.uint64).view(np.float64)
    out.save("floats_of_random_bits", [float(f) for f in random_bits if np.isfinite(f)])
    parts = [0.0, -0.0, 1.0, -2.5, 1e-05, 1e16, 5e-324, float("inf"), float("-inf"), float("nan")]
    out.save("complex_numbers_of_all_parts", [complex(re, im) for re in parts for im in parts])
    out.save("truth_and_nothing", [True, False, None])


def strings(out):
    texts = [
        "",
        "plain",
        "with space",
        "naïve café",
        "Ελληνικά",
        "日本語",
        "עברית",
        "👍🏽",
        "👩‍👩‍👧‍👦",
    ]
    texts += [
        "e\u0301",
        "\u00e9",
        "\ufeffbom",
        "\u2028\u2029",
        "\uffff",
        "\U0010ffff",
        "\x7f\x80\x9f",
    ]
    texts += [
        '"',
        "\\",
        "\\n",
        "/",
        '"quoted"',
        "'",
        "{}",
        "[1]",
        "null",
        "</script>",
        "%s",
        "${x}",
    ]
    texts += ["\0", "a\0b", "\0\0", "\r\n", "\t", "\b\f", " ", "  lead and trail  ", "x" * 1000]
    out.save("strings_of_every_kind", texts)
    out.save("every_control_character", [chr(c) for c in range(32)])
    out.save("the_first_characters_in_one_string", "".join(map(chr, range(0x250))))
    lone = ["\ud800", "\udfff", "a\ud83db", "\ude00\ud83d", "\udc80.bin", {"\ud800": "\udbff"}]
    out.save("lone_surrogates", lone, note="Python saves and loads them; UTF-8 cannot spell them")
    note = "two characters when saved; JSON joins them into one, so Python loads an emoji"
    out.save("surrogates_that_meet", ["\ud83d\ude00"], loads_as=["\U0001f600"], note=note)


def roots(out):
    for name, value in {
        "none": None,
        "bool": True,
        "int": 42,
        "float": 0.5,
        "complex": 1 + 2j,
        "string": "root",
        "empty_string": "",
        "empty_list": [],
        "empty_tuple": (),
        "empty_set": set(),
        "empty_dict": {},
    }.items():
        out.save(f"root_is_{name}", value)
    out.save("root_is_a_tensor", np.arange(6, dtype=np.float32).reshape(2, 3))


@dataclasses.dataclass
class Empty:
    pass


@dataclasses.dataclass
class Point:
    x: float
    y: float


@dataclasses.dataclass
class Segment:
    name: str
    ends: tuple
    weight: np.ndarray
    empty: Empty
    maybe: object = None


@dataclasses.dataclass(frozen=True)
class FrozenPoint:
    x: int
    y: int


@dataclasses.dataclass
class Naïve:
    größe: int
    data_type: str
    value: str
    keys: list


def with_package_name(value):
    """The value as it loads: every dataclass is one of the package's own making."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        cls = dataclasses.make_dataclass(notation.STRUCT_TYPE, names)
        return cls(**{name: with_package_name(getattr(value, name)) for name in names})
    if type(value) in (list, tuple, set):
        return type(value)(with_package_name(item) for item in value)
    if type(value) is dict:
        return {key: with_package_name(item) for key, item in value.items()}
    return value


def containers(out):
    out.save(
        "empty_containers_in_each_other", [[], (), set(), {}, [[]], ((),), [{}], {"": {}}, {(): []}]
    )
    out.save(
        "nested_containers", {"a": [1, (2.5, {"b": {3, 4}}), None], "c": {"d": {"e": [[], [True]]}}}
    )
    numbers = {1, -5, 10**20}
    out.save(
        "sets_of_everything_that_hashes",
        [numbers, {"one"}, {None}, {True}, {2.5}, {(1, "a", (None,))}, {1j}],
    )
    out.save("tuples_of_mixed_kinds", (1, "two", 3.0, None, True, 4j, [5], (6,), {"seven": 7}))
    out.save("a_list_of_10000_entries", [i if i % 2 else i % 4 == 0 for i in range(10000)])
    out.save("a_dict_of_10000_entries", {i - 3000: None for i in range(10000)})
    for kind, wrap in {
        "lists": lambda v: [v],
        "dicts": lambda v: {"k": v},
        "tuples": lambda v: (v,),
    }.items():
        value = 1
        for _ in range(247):
            value = wrap(value)
        note = "247 containers around one int; Python refuses to save 249, its recursion limit"
        out.save(f"247_{kind}_deep", value, note=note)
    value = np.ones(1, np.float32)
    for i in range(100):
        value = [[i, value], (value, None), {"depth": value}][i % 3]
    out.save("100_levels_of_mixed_kinds", value)


def dicts(out):
    nan = float("nan")
    keys = ["", "a", "1", 1, 2, -3, 10**30, 1.5, 1e-05, 1e16, float("inf"), nan, None, False]
    keys = [k for k in keys if k != 1 or isinstance(k, str)]
    keys += [
        (),
        (1,),
        (1, ("x", None)),
        ((), 2.5),
        1j,
        -2.5 + 1j,
        "with.dot",
        "with/slash",
        "é",
        "\0",
    ]
    out.save("dict_keys_of_every_kind", {key: index for index, key in enumerate(keys)})
    out.save("dict_keys_that_are_true_and_false", {True: "yes", False: "no"})
    out.save("dict_keys_that_are_negative_zero", {-0.0: "minus zero"})
    out.save(
        "dict_keys_named_like_schema_fields", {"data_type": 1, "value": 2, "keys": 3, "None": None}
    )
    out.save(
        "dict_keys_with_prototype_names",
        {"__class__": 1, "__proto__": 2, "constructor": 3, "dtype": "x"},
    )
    note = (
        "str(key) is the label, so of keys that look alike the last is kept, at the first's place"
    )
    out.save(
        "dict_keys_that_collide",
        {"1": "text", 1: "int", "x": 0},
        loads_as={1: "int", "x": 0},
        note=note,
    )
    out.save(
        "dict_keys_that_collide_all_round",
        {None: 1, "None": 2, True: 3, "True": 4, 1.5: 5, "1.5": 6, (1,): 7, "(1,)": 8},
        loads_as={"None": 2, "True": 4, "1.5": 6, "(1,)": 8},
        note=note,
    )
    out.save(
        "a_dict_keyed_by_a_frozen_dataclass",
        {FrozenPoint(1, 2): "p"},
        note="Python saves it and cannot load it: the dataclass it makes for the key does not hash",
    )


def dataclasses_(out):
    ends = (Point(0.0, -0.0), Point(1.5, float("inf")))
    segment = Segment("s", ends, np.arange(3, dtype=np.float32), Empty(), {"deep": [Point(1, 2)]})
    for name, value in {
        "an_empty_dataclass": Empty(),
        "a_dataclass_of_dataclasses": segment,
        "a_list_of_dataclasses": [Point(i, i / 2) for i in range(5)],
        "dataclass_fields_of_any_name": Naïve(1, "float", "v", [1]),
    }.items():
        out.save(name, value, loads_as=with_package_name(value))


def every_pattern(dtype):
    """All values of an 8-bit type, edge values and a few random ones of the others."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([True, False, True, True])
    if dtype.itemsize == 1:
        return np.arange(256, dtype=np.uint8).view(dtype)
    rng = np.random.default_rng(dtype.itemsize * 1000 + ord(dtype.kind))
    if dtype.kind == "c":
        return np.array([0, 1 + 2j, -0.0 - 1j, complex("inf+nanj"), 1e-40j, 3e38], dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        edges = np.array([info.min, info.max, 0, 1], dtype)
        return np.concatenate([edges, rng.integers(info.min, info.max, 12, dtype)])
    info = ml_dtypes.finfo(dtype)
    edges = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        float(info.max),
        float(info.min),
        float("inf"),
        float("-inf"),
        float("nan"),
    ]
    edges += [float(info.tiny), float(info.smallest_subnormal)]
    return np.concatenate([np.array(edges).astype(dtype), rng.standard_normal(9).astype(dtype)])


def tensors(out):
    for name in notation.DTYPE_CODES:
        dtype = np.dtype(getattr(ml_dtypes, name)) if not hasattr(np, name) else np.dtype(name)
        note = ""
        if name in notation.SMALL_FLOATS:
            note = "safetensors 0.8.0 saves it, but loads it only if numpy knows the dtype's name"
        out.save(
            f"a_tensor_of_{name}",
            {"x": every_pattern(dtype), "rank 0": every_pattern(dtype)[1:2].reshape(())},
            note=note,
        )
    rng = np.random.default_rng(7)
    ranks = [
        rng.standard_normal((1, 2, 1, 3, 1, 2, 1, 2)[:rank]).astype(np.float32) for rank in range(9)
    ]
    out.save("tensors_of_rank_0_to_8", ranks)
    out.save("a_tensor_of_rank_32", np.ones((1,) * 32, np.int8))
    shapes = [(0,), (0, 3), (3, 0), (2, 0, 4), (0, 0), (0,) * 5]
    out.save("tensors_without_elements", [np.zeros(shape, np.float64) for shape in shapes])
    kinds = [
        np.uint8,
        np.float64,
        np.int16,
        np.bool_,
        np.complex64,
        np.float32,
        np.int64,
        np.float16,
    ]
    out.save(
        "tensors_of_mixed_dtypes_are_sorted_by_alignment", [np.ones(3, kind) for kind in kinds]
    )
    shared = np.arange(4, dtype=np.int32)
    out.save(
        "the_same_array_twice",
        {"a": shared, "b": [shared, shared]},
        note="Python stores it three times",
    )
    out.save(
        "more_than_ten_tensors",
        [np.full(2, i, np.int16) for i in range(120)],
        note="names sort as text: 0, 1, 10, 100, 101, ...",
    )
    out.save(
        "big_endian_arrays",
        [np.arange(4, dtype=">f8"), np.arange(3, dtype=">u2")],
        note="stored in little endian",
    )
    grid = np.arange(12, dtype=np.float64).reshape(3, 4)
    wrong = "safetensors 0.8.0 stores memory order under a row-major shape: other elements load"
    fortran = np.asfortranarray(grid)
    out.save(
        "a_fortran_array_is_stored_scrambled",
        fortran,
        loads_as=fortran.ravel("K").reshape(3, 4),
        note=wrong,
    )
    strided = grid[:, ::2]
    out.save(
        "a_strided_array_is_stored_scrambled",
        strided,
        loads_as=grid.ravel()[:6].reshape(3, 2),
        note=wrong,
    )
    layers = {
        "layers": [
            {"weight": np.eye(2, dtype=np.float32), "bias": np.zeros(2, np.float32)}
            for _ in range(3)
        ]
    }
    out.save(
        "model_weights_and_settings",
        {**layers, "lr": 1e-05, "steps": 10**12, "name": "tiny", "tags": {"a"}},
    )


def plugins(out):
    q = golden_types.Quaternion(1.0, -0.0, 1e-05, float("inf"))
    extensions = {
        "bytes": [b"", b"\0\xff", bytes(range(256))],
        "bytearrays": [bytearray(), bytearray(b"abc")],
        "frozensets": [frozenset(), frozenset({1}), {frozenset({2}): "key"}, {frozenset({"x"})}],
        "ranges": [range(3), range(-5, 10**20, 7), range(3, 0, -1), {range(2): "key"}],
        "slices": [slice(None), slice(1, None, -2), slice(0, 5)],
        "an_ellipsis": [...],
    }
    for name, value in extensions.items():
        out.save(f"extension_{name}", value, plugins=["safestructures_cpp"])
    tensor = np.arange(4, dtype=np.float32)
    masked = golden_types.MaskedArray(tensor, tensor > 1, "fill")
    output = golden_types.ModelOutput(tensor.reshape(1, 4), (tensor, (tensor * 2,)), None)
    customs = {
        "a_custom_class_with_extra_fields": [q, {"q": q}],
        "a_custom_class_as_dict_key": {q: "key"},
        "a_custom_class_that_holds_tensors": [tensor, masked, tensor],
        "a_custom_list_that_recurses": golden_types.collections.deque([1, [q], tensor, None]),
        "a_custom_dict_that_recurses": golden_types.collections.OrderedDict(
            [("b", 1), (2, tensor)]
        ),
        "a_custom_tensor_type": {"volume": golden_types.Volume(np.ones((2, 2, 2), np.int16))},
        "custom_scalars": [
            golden_types.Color.GREEN,
            np.float32(1.5),
            golden_types.fractions.Fraction(1, 3),
        ],
        "a_model_output_as_transformers_has_it": [output],
    }
    for name, value in customs.items():
        out.save(name, value, plugins=["golden_types"])


def metadata(out):
    user = {"format": "pt", "run": "42", "größe": 'a "quoted" \\ line\nand é 😀'}
    out.save("user_metadata_beside_the_schema", [1], metadata=user)
    out.save(
        "user_metadata_that_is_empty_text", {"a": np.ones(1, np.int8)}, metadata={"": "", "zz": ""}
    )


GROUPS = [
    scalars,
    strings,
    roots,
    containers,
    dicts,
    dataclasses_,
    tensors,
    plugins,
    metadata,
]
