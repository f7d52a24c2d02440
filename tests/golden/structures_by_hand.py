"""Files that Python's package would not write: schema texts for make_structures.py."""

import json

import numpy as np

ONE = '{"data_type": "int", "value": "1"}'
TWO = '{"data_type": "int", "value": "2"}'
ARRAY = np.array([1.5, -2.5], np.float32)


def a_list(*items):
    return '{"data_type": "list", "value": [' + ", ".join(items) + "]}"


def a_dict(values, keys):
    return f'{{"data_type": "dict", "value": {values}, "keys": {keys}}}'


def a_tensor(name, kind="numpy.ndarray", more=""):
    return f'{{"data_type": "{kind}", "value": {json.dumps(name)}{more}}}'


A = '{"data_type": "str", "value": "a"}'

# name: schema, and optionally tensors, we_load (true unless said), metadata, note
BY_HAND = {
    # Fields and nodes
    "extra_fields_on_containers": dict(
        schema='{"data_type": "list", "cpp_type": "std::vector<int>", "value": ['
        '{"data_type": "tuple", "value": [], "version": 3},'
        '{"data_type": "set", "value": [], "x": {"y": [1, 2.50, null]}},'
        '{"data_type": "dict", "value": {}, "keys": {}, "x": "multimap"},'
        '{"data_type": "SafestructuresDataclass", "value": {}, "cpp_type": "acme::Pose"}]}'
    ),
    "extra_fields_on_a_tensor": dict(
        schema=a_tensor("w", more=', "dtype": "F16"'), tensors={"w": ARRAY}
    ),
    "extra_fields_on_a_scalar": dict(
        schema='{"data_type": "int", "value": "1", "unit": "m"}',
        we_load=False,
        note="Python passes them to a function that takes none",
    ),
    "fields_in_another_order": dict(
        schema=f'{{"keys": {{"a": {A}}}, "value": {{"a": {ONE}}}, "data_type": "dict"}}'
    ),
    "a_node_without_a_type": dict(schema=a_list('{"value": "1"}'), we_load=False),
    "a_node_without_a_value": dict(schema=a_list('{"data_type": "int"}'), we_load=False),
    "a_node_that_is_a_number": dict(schema=a_list("1"), we_load=False),
    "a_node_that_is_null": dict(schema=a_list("null"), we_load=False),
    "a_type_that_is_a_number": dict(schema='{"data_type": 1, "value": "1"}', we_load=False),
    "a_list_whose_value_is_a_string": dict(
        schema='{"data_type": "list", "value": "ab"}', we_load=False
    ),
    "a_list_whose_value_is_an_empty_string": dict(
        schema='{"data_type": "list", "value": ""}',
        we_load=False,
        note="Python iterates over nothing and loads an empty list",
    ),
    "a_list_whose_value_is_an_empty_object": dict(
        schema='{"data_type": "list", "value": {}}', we_load=False
    ),
    "a_dict_whose_value_is_a_list": dict(
        schema='{"data_type": "dict", "value": [], "keys": {}}', we_load=False
    ),
    "a_struct_whose_value_is_a_list": dict(
        schema='{"data_type": "SafestructuresDataclass", "value": []}', we_load=False
    ),
    "struct_fields_that_python_cannot_name": dict(
        schema='{"data_type": "SafestructuresDataclass", "value": {"class": ' + ONE + "}}",
        we_load=True,
        note="a keyword, and so refused by dataclasses.make_dataclass",
    ),
    "struct_fields_with_dots": dict(
        schema='{"data_type": "SafestructuresDataclass", "value": {"a.b": ' + ONE + "}}"
    ),
    # Dicts
    "a_dict_without_keys": dict(
        schema='{"data_type": "dict", "value": {"a": ' + ONE + "}}", we_load=False
    ),
    "an_empty_dict_without_keys": dict(schema='{"data_type": "dict", "value": {}}', we_load=False),
    "a_dict_that_lacks_one_key": dict(
        schema=a_dict(f'{{"a": {ONE}, "b": {TWO}}}', f'{{"a": {A}}}'), we_load=False
    ),
    "a_dict_with_a_key_too_many": dict(
        schema=a_dict(f'{{"a": {ONE}}}', f'{{"a": {A}, "b": {ONE}}}'),
        we_load=False,
        note="Python ignores it",
    ),
    "a_dict_whose_keys_come_in_another_order": dict(
        schema=a_dict(f'{{"a": {ONE}, "1": {TWO}}}', f'{{"1": {ONE}, "a": {A}}}'),
        note="the order of the values counts",
    ),
    "a_dict_with_labels_that_are_not_the_keys": dict(
        schema=a_dict(
            f'{{"1": {ONE}, "1#2": {TWO}}}',
            f'{{"1": {ONE}, "1#2": {{"data_type": "str", "value": "1"}}}}',
        ),
        note="how labels that would collide are told apart: the keys are 1 and '1'",
    ),
    "a_dict_with_one_key_twice": dict(
        schema=a_dict(f'{{"x": {ONE}, "y": {TWO}}}', f'{{"x": {A}, "y": {A}}}'),
        we_load=False,
        note="Python keeps the last",
    ),
    "a_dict_with_an_unhashable_key": dict(
        schema=a_dict(f'{{"x": {ONE}}}', f'{{"x": {a_list()}}}'), we_load=False
    ),
    "a_dict_keyed_by_a_tensor": dict(
        schema=a_dict(f'{{"x": {ONE}}}', f'{{"x": {a_tensor("0")}}}'),
        tensors={"0": ARRAY},
        we_load=False,
    ),
    "a_set_with_one_element_twice": dict(
        schema=f'{{"data_type": "set", "value": [{ONE}, {ONE}]}}',
        we_load=False,
        note="Python keeps one",
    ),
    "a_set_of_unhashable_elements": dict(
        schema=f'{{"data_type": "set", "value": [{a_list()}]}}', we_load=True
    ),
    # Types
    "a_none_by_its_short_name": dict(schema=a_list('{"data_type": "None", "value": null}')),
    "a_none_by_its_import_path": dict(
        schema='{"data_type": "types.NoneType", "value": null}', we_load=True
    ),
    "an_int_by_its_import_path": dict(
        schema='{"data_type": "builtins.int", "value": "1"}', we_load=True
    ),
    "a_builtin_that_is_not_supported": dict(
        schema='{"data_type": "bytes", "value": "x"}',
        we_load=False,
        note="the extension's bytes are the name of a tensor, and there is none called x",
    ),
    "a_builtin_that_is_a_function": dict(
        schema='{"data_type": "eval", "value": "1"}',
        note="an unknown type: kept as it is, never looked up",
    ),
    "a_type_that_cannot_be_imported": dict(
        schema='{"data_type": "acme.poses.Pose", '
        '"value": {"x": [1, 2.50, -0.0, 1E5, null, "\\u00e9"]}}',
        note="an unknown type: kept as it is, its JSON to the byte",
    ),
    "a_type_without_a_name": dict(schema='{"data_type": "", "value": "1"}', we_load=True),
    # Tensors
    "tensors_named_by_their_paths": dict(
        schema=a_list(a_tensor("layers.0.weight"), a_tensor("layers.0.bias")),
        tensors={"layers.0.weight": ARRAY, "layers.0.bias": ARRAY[:1]},
    ),
    "one_tensor_used_twice": dict(
        schema=a_list(a_tensor("0"), a_tensor("0")), tensors={"0": ARRAY}
    ),
    "a_tensor_that_nothing_uses": dict(
        schema=a_list(a_tensor("0")), tensors={"0": ARRAY, "1": ARRAY}
    ),
    "a_tensor_that_is_missing": dict(
        schema=a_list(a_tensor("1")), tensors={"0": ARRAY}, we_load=False
    ),
    "a_tensor_whose_name_is_a_number": dict(
        schema=a_list('{"data_type": "numpy.ndarray", "value": 0}'),
        tensors={"0": ARRAY},
        we_load=False,
    ),
    "a_tensor_that_is_called_null": dict(
        schema=a_list(a_tensor("null")),
        tensors={"null": ARRAY},
        note="the dummy's name, used by a node, and so no dummy",
    ),
    "the_dummy_tensor_named_by_a_node": dict(
        schema=a_list(a_tensor("null")), tensors={"null": np.array([0])}
    ),
    "no_tensor_at_all": dict(schema=ONE, tensors={}, note="without the dummy that Python writes"),
    # The text of the schema
    "a_schema_without_spaces": dict(schema=ONE.replace(" ", "")),
    "a_schema_with_much_space": dict(schema=" \n\t" + ONE.replace(" ", "\r\n  ") + " \n"),
    "a_schema_in_plain_utf8": dict(schema='{"data_type": "str", "value": "é😀"}'),
    "a_schema_with_other_escapes": dict(
        schema='{"data_type": "str", "value": "\\u0061\\/\\u00E9"}'
    ),
    "a_schema_with_a_lone_surrogate_in_capitals": dict(
        schema='{"data_type": "str", "value": "\\uD800"}'
    ),
    "a_schema_with_a_field_twice": dict(
        schema='{"data_type": "int", "value": "1", "value": "2"}',
        we_load=False,
        note="Python keeps the last",
    ),
    "a_schema_with_text_after_it": dict(schema=ONE + " x", we_load=False),
    "a_schema_that_is_empty": dict(schema="", we_load=False),
    "a_schema_that_is_an_array": dict(schema="[]", we_load=False),
    "a_schema_that_is_null": dict(schema="null", we_load=False),
    "a_schema_with_a_byte_order_mark": dict(schema="\ufeff" + ONE, we_load=False),
    "a_schema_with_a_trailing_comma": dict(
        schema='{"data_type": "int", "value": "1",}', we_load=False
    ),
    "a_schema_with_a_comment": dict(schema="/* one */ " + ONE, we_load=False),
    "a_schema_with_a_raw_newline_in_a_string": dict(
        schema='{"data_type": "str", "value": "a\nb"}', we_load=False
    ),
    # The metadata
    "a_file_without_a_schema": dict(
        schema=None,
        tensors={"w": ARRAY},
        we_load=True,
        note="a plain safetensors file with a version",
    ),
    "a_file_without_metadata": dict(
        schema=None,
        metadata={"_safestructures_schema_version_": None},
        tensors={"w": ARRAY, "layers.0.bias": ARRAY},
        we_load=True,
        note="a plain safetensors file, which loads into a struct by its names",
    ),
    "a_schema_without_a_version": dict(
        schema=ONE,
        metadata={"_safestructures_schema_version_": None},
        we_load=True,
        note="Python never looks at the version",
    ),
    "a_schema_of_a_later_version": dict(
        schema=ONE,
        metadata={"_safestructures_schema_version_": "2.0.0"},
        we_load=False,
        note="Python never looks at the version",
    ),
}

_SUB_BYTE = {"F4": ([2, 4], 4), "F6_E2M3": ([4], 3), "F6_E3M2": ([2, 2], 3)}

# Dtypes that safetensors 0.8.0 for Python cannot write from NumPy.
CONTAINERS_BY_HAND = {
    f"a_tensor_of_{dtype.lower()}": dict(
        schema=a_list(a_tensor("0")),
        entries={"0": {"dtype": dtype, "shape": shape, "data_offsets": [0, size]}},
        data=bytes([0x21, 0x43, 0x65, 0x87][:size]),
        note="NumPy has no such type, so Python's package cannot load it; the crate can",
    )
    for dtype, (shape, size) in _SUB_BYTE.items()
}


def text(value):
    return json.dumps(value)


_DIGITS = "more than 4300 digits, which Python refuses"
_CONFUSED = "a value of one kind in a node of another"
_NOT_JSON = "Python's reader takes it, JSON does not have it"
_UNICODE = "digits or blanks outside ASCII"

# data_type, raw JSON of the value, we_load, note
SPELLINGS = [
    *(
        ("int", text(t), True, "")
        for t in ["+5", "-0", "00012", " 12 ", "\t12\n", "1_000", "1_0_0", "-1_0"]
    ),
    *(("int", text(t), False, _UNICODE) for t in ["١٢٣", "１２", "\u200312\u3000", "\u00a07"]),
    *(
        ("int", text(t), False, "")
        for t in ["", " ", "-", "+-5", "1__0", "_1", "1_", "0x10", "1.0", "1e3"]
    ),
    *(("int", text(t), False, "") for t in ["1 2", "1\x00", "nan", "inf", "٣x", "−1"]),
    ("int", text("1" + "0" * 4300), False, _DIGITS),
    *(
        ("int", raw, True, "a raw JSON number")
        for raw in ["5", "-7", "0", "12345678901234567890123", "-0"]
    ),
    *(("int", raw, False, "a raw JSON number that is whole") for raw in ["3.0", "1e3", "1E400"]),
    *(("int", raw, False, "Python cuts off the fraction") for raw in ["3.7", "-0.5"]),
    *(("int", raw, False, _CONFUSED) for raw in ["true", "false", "null", "[]", "{}", '["1"]']),
    *(("int", raw, False, _NOT_JSON) for raw in ["NaN", "Infinity", "01", "+1", ".5", "1_0"]),
    *(
        ("float", text(t), True, "")
        for t in ["1", "1.", ".5", "1_0.5", "1_0e1_0", " 1e5 ", "+1.5", "-.5e-3", "1E5"]
    ),
    *(
        ("float", text(t), True, "")
        for t in ["infinity", "-Infinity", "INF", "+inf", "NaN", "+nan", "00.5"]
    ),
    *(
        ("float", text(t), True, "of many digits")
        for t in ["0.1000000000000000055511151231257827", "1" * 400]
    ),
    ("float", text("-nan"), True, "Python keeps the sign of the nan"),
    *(
        ("float", text(t), True, "rounds to infinity or zero")
        for t in ["1e400", "-1e400", "1e-400", "-1e-400"]
    ),
    *(("float", text(t), False, _UNICODE) for t in ["١.٥", "\u20031.5"]),
    *(
        ("float", text(t), False, "")
        for t in ["", " ", ".", "e5", "1e", "0x1p3", "1__0", "1_.5", "1._5", "_1", "in"]
    ),
    *(
        ("float", text(t), False, "")
        for t in ["infinit", "nan(1)", "1,5", "1 5", "1.5\x00", "1.5f", "1.5j"]
    ),
    *(
        ("float", raw, True, "a raw JSON number")
        for raw in ["1", "1.5", "-0.0", "1e-7", "1E5", "9007199254740993"]
    ),
    ("float", "1e400", True, "a raw JSON number that overflows"),
    ("float", "1" + "0" * 400, False, "a raw JSON number that overflows"),
    *(("float", raw, False, _CONFUSED) for raw in ["true", "null", "[]", "{}"]),
    *(("float", raw, True, "Python's JSON has it") for raw in ["NaN", "Infinity", "-Infinity"]),
    *(
        ("complex", text(t), True, "")
        for t in ["1+2j", "1", "j", "-j", "+J", "2J", " (1+2j) ", "( 1+2j )", "1.5e3-2E-1j"]
    ),
    *(
        ("complex", text(t), True, "")
        for t in ["inf+nanj", "Infinity-infj", "1_0+2_0j", "nanj", "(3)", "1e400+1j"]
    ),
    *(
        ("complex", text(t), False, "")
        for t in ["", "()", "1 + 2j", "1+ 2j", "1+2", "1+2i", "1+2jj", "((1+2j))", "(1+2j"]
    ),
    *(
        ("complex", text(t), False, "")
        for t in ["1+2j)", "1j+2", "j1", "1__0j", "1+2j\x00", "+-1j"]
    ),
    *(("complex", raw, True, "a raw JSON number") for raw in ["5", "1.5"]),
    *(("complex", raw, False, _CONFUSED) for raw in ["true", "null", "[1, 2]", "{}"]),
    *(("bool", raw, False, _CONFUSED) for raw in ['"True"', '"x"', "1", "0", "null", "[]", "1.5"]),
    *(("str", raw, False, _CONFUSED) for raw in ["1", "true", "null", "[]", "{}", "1.5"]),
    *(("NoneType", raw, False, _CONFUSED) for raw in ["false", '""', '"None"', "0", "[]"]),
    *(("None", raw, False, _CONFUSED) for raw in ["false", '"None"']),
    ("None", "null", True, "the short name"),
]
