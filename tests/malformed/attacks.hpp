/// \file
/// Input made to cost more than it is worth, of any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "case.hpp"
#include "colliding_names.hpp"

namespace attacks {

using safestructures::malformed::container;
using safestructures::malformed::repeated;

inline std::string escaped(const std::string& text) {
  std::string result;
  result.reserve(text.size() * 2);
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// A file with that schema and a tensor `t`, of 8 bytes.
inline std::string with_schema(const std::string& schema) {
  return container(R"({"__metadata__":{"_safestructures_schema_":")" + escaped(schema) +
                       R"("},"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
                   8);
}

/// `text(0)`, `text(1)` ... with commas between them.
inline std::string joined(std::size_t count, const std::function<std::string(std::size_t)>& text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) result += ',';
    result += text(i);
  }
  return result;
}

inline std::string node(const std::string& type, const std::string& value) {
  return R"({"data_type":")" + type + R"(","value":)" + value + "}";
}

inline std::string dict(std::size_t count, const std::function<std::string(std::size_t)>& label,
                        const std::function<std::string(std::size_t)>& key,
                        const std::string& end = {}) {
  return R"({"data_type":"dict","value":{)" +
         joined(count,
                [&](std::size_t i) { return "\"" + label(i) + "\":" + node("NoneType", "null"); }) +
         R"(},"keys":{)" +
         joined(count, [&](std::size_t i) { return "\"" + label(i) + "\":" + key(i); }) + "}" +
         end + "}";
}

/// Hostile input of a size that grows with `n`.
struct Attack {
  std::string name;
  std::string (*bytes)(std::size_t n);
};

/// Headers of empty tensors of those names.
inline std::string empty_tensors(std::size_t count,
                                 const std::function<std::string(std::size_t)>& name) {
  return container("{" +
                   joined(count,
                          [&](std::size_t i) {
                            return "\"" + name(i) +
                                   R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                          }) +
                   "}");
}

inline std::string number(std::size_t i) { return std::to_string(i); }
inline std::string text_node(std::size_t i) { return node("str", "\"" + number(i) + "\""); }
inline std::string long_prefix(std::size_t i) { return std::string(64, 'p') + number(i); }

inline std::string colliding_name(std::size_t i) {
  static const std::vector<std::string> names = colliding_names(16'384);
  return names.at(i);
}

inline const std::vector<Attack>& all() {
  static const std::vector<Attack> list = {
      {"open brackets as a header",
       [](std::size_t n) { return container(std::string(32 * n, '[')); }},
      {"open brackets in a header",
       [](std::size_t n) { return container("{\"a\":{\"x\":" + std::string(32 * n, '[')); }},
      {"open brackets as a schema",
       [](std::size_t n) { return with_schema(std::string(32 * n, '[')); }},
      {"blanks", [](std::size_t n) { return container("{" + std::string(64 * n, ' ')); }},
      {"empty tensors", [](std::size_t n) { return empty_tensors(n, number); }},
      {"tensors, the last one twice",
       [](std::size_t n) {
         return empty_tensors(n + 1, [n](std::size_t i) { return number(std::min(i, n - 1)); });
       }},
      {"shapes of many dimensions",
       [](std::size_t n) {
         return container("{" +
                          joined(n / 4 + 1,
                                 [](std::size_t i) {
                                   return "\"" + number(i) + R"(":{"dtype":"U8","shape":[0)" +
                                          repeated(",1", 63) + R"(],"data_offsets":[0,0]})";
                                 }) +
                          "}");
       }},
      {"names with a long common beginning",
       [](std::size_t n) { return empty_tensors(n, long_prefix); }},
      {"names of 400 steps",
       [](std::size_t n) {
         return empty_tensors(n / 32 + 1,
                              [](std::size_t i) { return number(i) + repeated(".a", 399); });
       }},
      {"names of dots",
       [](std::size_t n) {
         return empty_tensors(n / 32 + 1,
                              [](std::size_t i) { return number(i) + std::string(499, '.'); });
       }},
      {"one long name with 400 steps at its end, below another",
       [](std::size_t n) {
         const std::string name(64 * n, 'x');
         return container("{\"" + name + repeated(".a", 399) +
                          R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},")" + name +
                          R"(.a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})");
       }},
      {"metadata",
       [](std::size_t n) {
         return container(R"({"__metadata__":{)" +
                          joined(n, [](std::size_t i) { return "\"" + number(i) + "\":\"\""; }) +
                          "}}");
       }},
      {"names of one hash, had it no key",
       [](std::size_t n) { return empty_tensors(n, colliding_name); }},
      {"metadata of one hash, had it no key",
       [](std::size_t n) {
         return container(
             R"({"__metadata__":{)" +
             joined(n, [](std::size_t i) { return "\"" + colliding_name(i) + "\":\"\""; }) + "}}");
       }},
      {"a dict of one hash, had it no key",
       [](std::size_t n) {
         return with_schema(dict(n, colliding_name, [](std::size_t i) {
           return node("str", "\"" + colliding_name(i) + "\"");
         }));
       }},
      {"escapes",
       [](std::size_t n) {
         return container(R"({"__metadata__":{"a":")" + repeated(R"(\u20ac)", 8 * n) + "\"}}");
       }},
      {"empty lists as plain JSON",
       [](std::size_t n) { return with_schema(node("T", "[" + repeated("[],", 8 * n) + "0]")); }},
      {"empty objects as plain JSON",
       [](std::size_t n) { return with_schema(node("T", "[" + repeated("{},", 8 * n) + "0]")); }},
      {"numbers as plain JSON",
       [](std::size_t n) { return with_schema(node("T", "[" + repeated("0,", 8 * n) + "0]")); }},
      {"a lone surrogate and numbers",
       [](std::size_t n) {
         return with_schema(node("T", R"(["\ud800",)" + repeated("0,", 8 * n) + "0]"));
       }},
      {"a list of None",
       [](std::size_t n) {
         return with_schema(node(
             "list", "[" + joined(n, [](std::size_t) { return node("NoneType", "null"); }) + "]"));
       }},
      {"a list of one tensor",
       [](std::size_t n) {
         return with_schema(node("list", "[" + joined(n, [](std::size_t) {
                                           return node("torch.Tensor", "\"t\"");
                                         }) + "]"));
       }},
      {"a list of one converted tensor",
       [](std::size_t n) {
         return with_schema(
             node("list", "[" + joined(n, [](std::size_t) {
                            return std::string(
                                R"({"data_type":"torch.Tensor","value":"t","dtype":"F64"})");
                          }) + "]"));
       }},
      {"a set of numbers",
       [](std::size_t n) {
         return with_schema(node("set", "[" + joined(n, [](std::size_t i) {
                                          return node("int", "\"" + number(i) + "\"");
                                        }) + "]"));
       }},
      {"a dict", [](std::size_t n) { return with_schema(dict(n, number, text_node)); }},
      {"a dict with a fault at its end",
       [](std::size_t n) { return with_schema(dict(n, number, text_node, R"(,"keys":1)")); }},
      {"a dict of keys with a long common beginning",
       [](std::size_t n) {
         return with_schema(dict(n, long_prefix, [](std::size_t i) {
           return node("str", "\"" + long_prefix(i) + "\"");
         }));
       }},
      {"a dict with its keys in another order",
       [](std::size_t n) {
         return with_schema(
             R"({"data_type":"dict","value":{)" +
             joined(n, [](std::size_t i) { return "\"" + number(i) + "\":" + text_node(i); }) +
             R"(},"keys":{)" +
             joined(n,
                    [n](std::size_t i) {
                      return "\"" + number(n - 1 - i) + "\":" + text_node(n - 1 - i);
                    }) +
             "}}");
       }},
      {"a dict of equal keys",
       [](std::size_t n) {
         return with_schema(dict(n, number, [](std::size_t) { return text_node(0); }));
       }},
      {"a dict of tuples",
       [](std::size_t n) {
         return with_schema(dict(n, number, [](std::size_t i) {
           return node("tuple", "[" + text_node(0) + "," + text_node(i) + "]");
         }));
       }},
      {"attributes up to the limit",
       [](std::size_t n) {
         return with_schema(node(
             "list",
             "[" + joined(n / 250 + 1, [](std::size_t) {
               return R"({"data_type":"list","value":[],)" +
                      joined(1000, [](std::size_t i) { return "\"a" + number(i) + "\":0"; }) + "}";
             }) + "]"));
       }},
      {"a million attributes",
       [](std::size_t n) {
         return with_schema(
             R"({"data_type":"list","value":[],)" +
             joined(8 * n, [](std::size_t i) { return "\"a" + number(i) + "\":0"; }) + "}");
       }},
      {"an integer of a million digits",
       [](std::size_t n) {
         return with_schema(node("int", "\"" + std::string(64 * n, '9') + "\""));
       }},
      {"a plain integer of a million digits",
       [](std::size_t n) { return with_schema(node("T", std::string(64 * n, '9'))); }},
      {"a float of a million digits",
       [](std::size_t n) {
         return with_schema(node("float", "\"0." + std::string(64 * n, '9') + "e-5\""));
       }},
      {"a complex number of a million digits",
       [](std::size_t n) {
         return with_schema(node("complex", "\"1-" + std::string(64 * n, '9') + "j\""));
       }},
      {"lists as deep as may be",
       [](std::size_t n) {
         return with_schema(node("list", "[" + joined(n / 128 + 1, [](std::size_t) {
                                           return repeated(R"({"data_type":"list","value":[)",
                                                           490) +
                                                  repeated("]}", 490);
                                         }) + "]"));
       }},
      {"a path of a million bytes in the error",
       [](std::size_t n) {
         return with_schema(R"({"data_type":"dataclass","value":{")" + std::string(64 * n, 'k') +
                            R"(":{"data_type":"int","value":"x"}}})");
       }},
  };
  return list;
}

}  // namespace attacks
