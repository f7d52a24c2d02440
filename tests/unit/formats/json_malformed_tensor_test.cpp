/// \file
/// Every rule for tensors in JSON, with the exact text of its error.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "support/json_cases.hpp"

namespace ss = safestructures;
using ss::test::check;
using ss::test::json_tensor;

TEST_CASE("a malformed tensor is refused with its place") {
  check({
      {R"([{"$tensor": 1}])",
       R"(invalid_schema: at /0: a $tensor has the wrong form: expected a dtype, or {"same": name}, found a number (byte 13).)"},
      {json_tensor("", "F33"),
       "unknown_dtype: at /a/0: a tensor has an unknown dtype: found 'F33' (byte 19)."},
      {json_tensor(""), "invalid_schema: at /a/0: a tensor has no data (byte 23)."},
      {json_tensor(R"(, "shape": [1])"),
       "invalid_schema: at /a/0: a tensor has no data (byte 37)."},
      {json_tensor(R"(, "data": {"base64": ""})"),
       "invalid_schema: at /a/0: a tensor has no shape (byte 47)."},
      {json_tensor(R"(, "shape": 1)"),
       "invalid_shape: at /a/0: a shape has the wrong form: expected an array of ints from 0 to "
       "9223372036854775807, found a number (byte 34)."},
      {json_tensor(R"(, "shape": ["1"])"),
       "invalid_shape: at /a/0: a shape has the wrong form: expected an array of ints from 0 to "
       "9223372036854775807, found a string (byte 35)."},
      {json_tensor(R"(, "shape": [-1])"),
       "invalid_shape: at /a/0: a shape has the wrong form: expected an array of ints from 0 to "
       "9223372036854775807, found -1 (byte 35)."},
      {json_tensor(R"(, "shape": [1.0])"),
       "invalid_shape: at /a/0: a shape has the wrong form: expected an array of ints from 0 to "
       "9223372036854775807, found 1.0 (byte 35)."},
      {json_tensor(R"(, "shape": [9223372036854775808])"),
       "invalid_shape: at /a/0: a shape has the wrong form: expected an array of ints from 0 to "
       "9223372036854775807, found 9223372036854775808 (byte 35)."},
      {json_tensor(R"(, "shape": [4294967296, 4294967296])"),
       "invalid_shape: at /a/0: the shape is too large: expected at most 9223372036854775807 "
       "elements, sizes of 0 not counted, found [4294967296, 4294967296] (byte 34)."},
      {json_tensor(R"(, "shape": [3], "data": [1, 2, 3])", "F4"),
       "invalid_shape: at /a/0: the elements do not fill whole bytes: expected a number of "
       "elements of 4 bits that makes a multiple of 8 bits, found F4 [3] (byte 34)."},
      {json_tensor(R"(, "data": [1, 2, 3])", "F4"),
       "invalid_shape: at /a/0: the elements do not fill whole bytes: expected a number of "
       "elements of 4 bits that makes a multiple of 8 bits, found F4 [3]."},
      {json_tensor(R"(, "shape": [1], "shape": [1])"),
       "duplicate_name: at /a/0: an object contains a member twice: found 'shape' (byte 39)."},
      {json_tensor(R"(, "data": [1], "data": [1])"),
       "duplicate_name: at /a/0: an object contains a member twice: found 'data' (byte 38)."},
      // What aligns the data of a binary file is nothing in JSON.
      {json_tensor(R"(, "pad": 1)"),
       "unknown_field: at /a/0: a $tensor has a member that it must not have: found 'pad' (byte "
       "25)."},
      {json_tensor(R"(, "size": 1)"),
       "unknown_field: at /a/0: a $tensor has a member that it must not have: found 'size' (byte "
       "25)."},
      {json_tensor(R"(, "shape": [1000000000000], "data": [1])"),
       "shape_mismatch: at /a/0/data: the data of a tensor do not have its shape: expected "
       "1000000000000 items, found 1 (byte 61)."},
      {json_tensor(R"(, "shape": [1000000000000], "data": {"base64": "AA=="})"),
       "shape_mismatch: at /a/0: the data of a tensor do not have its shape: expected "
       "1000000000000 bytes, found 1 (byte 59)."},
      {json_tensor(R"(, "shape": [2], "data": [1])"),
       "shape_mismatch: at /a/0/data: the data of a tensor do not have its shape: expected 2 "
       "items, found 1 (byte 49)."},
      {json_tensor(R"(, "shape": [2], "data": [1, 2, 3])"),
       "shape_mismatch: at /a/0/data/2: the data of a tensor do not have its shape: expected 2 "
       "items, found more (byte 54)."},
      {json_tensor(R"(, "shape": [2, 2], "data": [[1, 2], [3]])"),
       "shape_mismatch: at /a/0/data/1: the data of a tensor do not have its shape: expected 2 "
       "items, found 1 (byte 61)."},
      {json_tensor(R"(, "shape": [2, 2], "data": [1, 2, 3, 4])"),
       "shape_mismatch: at /a/0/data/0: the data of a tensor do not have its shape: expected an "
       "array, found a number (byte 51)."},
      {json_tensor(R"(, "shape": [2], "data": [[1], 2])"),
       "shape_mismatch: at /a/0/data/0: the data of a tensor do not have its shape: expected an "
       "int from 0 to 255, found an array (byte 48)."},
      {json_tensor(R"(, "shape": [], "data": [1])"),
       "shape_mismatch: at /a/0/data: the data of a tensor do not have its shape: expected an int "
       "from 0 to 255, found an array (byte 46)."},
      {json_tensor(R"(, "shape": [1], "data": 1)"),
       "shape_mismatch: at /a/0/data: the data of a tensor do not have its shape: expected an "
       "array, found a number (byte 47)."},
      {json_tensor(R"(, "shape": [0, 2], "data": [[1, 2]])"),
       "shape_mismatch: at /a/0/data: the data of a tensor do not have its shape: expected 0 "
       "items, found 1 (byte 57)."},
      {json_tensor(R"(, "data": [[1, 2], [3]])"),
       "shape_mismatch: at /a/0/data/1: the rows of a tensor differ in length: expected 2 items as "
       "in the row before, found 1 (byte 44)."},
      {json_tensor(R"(, "data": [[1, 2], 3])"),
       "shape_mismatch: at /a/0/data/1: the data of a tensor do not have its shape: expected an "
       "array, found a number (byte 42)."},
      {json_tensor(R"(, "data": [1, [2]])"),
       "shape_mismatch: at /a/0/data/1: the data of a tensor do not have its shape: expected an "
       "int from 0 to 255, found an array (byte 37)."},
      {json_tensor(R"(, "data": [1, 2], "shape": [3])"),
       "shape_mismatch: at /a/0: the data of a tensor do not have its shape: expected shape [3], "
       "found shape [2] (byte 33)."},
      {json_tensor(R"(, "data": [1, 2], "shape": [2, 1])"),
       "shape_mismatch: at /a/0: the data of a tensor do not have its shape: expected shape [2, "
       "1], found shape [2] (byte 33)."},
      {json_tensor(R"(, "shape": [1], "data": [256])"),
       "out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected an int from "
       "0 to 255, found 256 (byte 48)."},
      {json_tensor(R"(, "shape": [1], "data": [-1])"),
       "out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected an int from "
       "0 to 255, found -1 (byte 48)."},
      {json_tensor(R"(, "shape": [1], "data": [1.0])"),
       "type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected an int "
       "from 0 to 255, found 1.0 (byte 48)."},
      {json_tensor(R"(, "shape": [1], "data": ["1"])"),
       R"(type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected an int from 0 to 255, found "1" (byte 48).)"},
      {json_tensor(R"(, "shape": [1], "data": [null])"),
       "type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected an int "
       "from 0 to 255, found null (byte 48)."},
      {json_tensor(R"(, "shape": [1], "data": [{}])"),
       "type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected an int "
       "from 0 to 255, found an object (byte 48)."},
      {json_tensor(R"(, "shape": [1], "data": [256])", "BOOL"),
       "out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected true or "
       "false, found 256 (byte 50)."},
      {json_tensor(R"(, "shape": [1], "data": [1e39])", "F32"),
       R"(out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected a number that F32 can hold, "inf", "nan", found 1e39 (byte 49).)"},
      {json_tensor(R"(, "shape": [1], "data": [70000])", "F16"),
       R"(out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected a number that F16 can hold, "inf", "nan", found 70000 (byte 49).)"},
      {json_tensor(R"(, "shape": [2], "data": [1, 7])", "F4"),
       "out_of_range: at /a/0/data/1: an element of a tensor is out of range: expected a number "
       "that F4 can hold, found 7 (byte 51)."},
      {json_tensor(R"(, "shape": [1], "data": ["inf"])", "F8_E4M3"),
       R"(out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected a number that F8_E4M3 can hold, "nan", found "inf" (byte 53).)"},
      {json_tensor(R"(, "shape": [1], "data": ["-nan"])", "F8_E8M0"),
       R"(out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected a number that F8_E8M0 can hold, "nan", found "-nan" (byte 53).)"},
      {json_tensor(R"(, "shape": [1], "data": [0])", "F8_E8M0"),
       R"(out_of_range: at /a/0/data/0: an element of a tensor is out of range: expected a number that F8_E8M0 can hold, "nan", found 0 (byte 53).)"},
      {json_tensor(R"(, "shape": [1], "data": ["0x3f800000"])", "F32"),
       R"(type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected a number that F32 can hold, "inf", "nan", found "0x3f800000" (byte 49).)"},
      {json_tensor(R"(, "shape": [1], "data": ["0x7fc0"])", "F32"),
       R"(type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected a number that F32 can hold, "inf", "nan", found "0x7fc0" (byte 49).)"},
      {json_tensor(R"(, "shape": [1], "data": [1])", "C64"),
       "type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected an "
       "array of two numbers, found a number (byte 49)."},
      {json_tensor(R"(, "shape": [1], "data": [[1]])", "C64"),
       R"(type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected a number that C64 can hold, "inf", "nan", found the end of the array (byte 51).)"},
      {json_tensor(R"(, "shape": [1], "data": [[1, 2, 3]])", "C64"),
       "type_mismatch: at /a/0/data/0: an element of a tensor has the wrong form: expected an "
       "array of two numbers, found more (byte 56)."},
      {json_tensor(R"(, "data": 1)", "C64"),
       "type_mismatch: at /a/0/data: an element of a tensor has the wrong form: expected an array "
       "of two numbers, found a number (byte 34)."},
      {json_tensor(R"(, "shape": [1], "data": {})"),
       "invalid_schema: at /a/0/data: the data of a tensor have the wrong form: expected an array, "
       "a number, or an object with base64, found another object (byte 48)."},
      {json_tensor(R"(, "shape": [1], "data": {"base64": 1})"),
       "invalid_schema: at /a/0/data: the data of a tensor have the wrong form: expected an array, "
       "a number, or an object with base64, found base64 that is a number (byte 58)."},
      {json_tensor(R"(, "shape": [1], "data": {"base64": "A"})"),
       "invalid_schema: at /a/0/data: a text is not base64: expected digits of base64, padded with "
       "'=', found its end (byte 60)."},
      {json_tensor(R"(, "shape": [1], "data": {"base64": "AA==", "x": 1})"),
       "invalid_schema: at /a/0/data: the data of a tensor have the wrong form: expected an array, "
       "a number, or an object with base64, found an object with more than base64 (byte 66)."},
      {json_tensor(R"(, "shape": [2], "data": {"base64": "AA=="})"),
       "shape_mismatch: at /a/0: the data of a tensor do not have its shape: expected 2 bytes, "
       "found 1 (byte 47)."},
      {R"([{"$tensor": {"same": "a"}}])",
       "missing_tensor: at /0: no tensor before this one has the name that it refers to: found 'a' "
       "(byte 22)."},
      {R"([{"$tensor": {"other": "a"}}])",
       R"(invalid_schema: at /0: a $tensor has the wrong form: expected a dtype, or {"same": name}, found a name (byte 14).)"},
      {R"([{"$tensor": "U8", "data": 1, "$name": "a"}, {"$tensor": "U8", "data": 1, "$name": "a"}])",
       R"(duplicate_name: at /1: two tensors have the same name: found 'a' (byte 86). Refer to the first by {"same": name}, or give each a name of its own.)"},
      {R"([{"$tensor": "U8", "data": 1, "$name": "a"}, {"$tensor": {"same": "a"}, "$name": "b"}])",
       "invalid_schema: at /1: a tensor that refers to another has a name of its own: found 'b' "
       "(byte 84)."},
      {R"([{"$tensor": "U8", "data": 1, "$name": "a"}, {"$bytes": {"same": "a"}}])",
       "invalid_schema: at /1: bytes refer to a tensor of another kind: expected U8 of one "
       "dimension, found U8 [] (byte 68)."},
  });
}
