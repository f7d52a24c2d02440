#include "support/golden.hpp"

#include <cstddef>

#include <safestructures/data/dtype.hpp>

namespace safestructures::test {
namespace {

std::string hex_of(const Value& value) {
  const Tensor tensor = value.tensor().contiguous();
  return to_hex(tensor.bytes().data(), tensor.bytes().size());
}

std::string shape_of(const Json& node) {
  std::string text;
  for (const Json& size : node["shape"]) text += (text.empty() ? "" : ", ") + size.dump();
  return "[" + text + "]";
}

/// Why a node of a kind that holds no others differs; empty when it does not.
std::string leaf_difference(const Value& value, const Json& node, const std::string& kind) {
  const auto compare = [](const std::string& expected, const std::string& found) {
    return expected == found ? std::string() : "expected " + expected + ", found " + found;
  };
  const auto expect_kind = [&](Kind wanted) {
    return value.kind() == wanted
               ? std::string()
               : "expected " + kind + ", found " + std::string(to_string(value.kind()));
  };
  const auto custom = [&](const std::string& type) {
    if (value.kind() != Kind::custom) return expect_kind(Kind::custom);
    return compare(type, value.type_name());
  };
  std::string wrong;
  if (kind == "none") return expect_kind(Kind::none);
  if (kind == "bool") {
    wrong = expect_kind(Kind::boolean);
    return wrong.empty() ? compare(node["value"].dump(), value.as_bool() ? "true" : "false")
                         : wrong;
  }
  if (kind == "int") {
    wrong = expect_kind(Kind::integer);
    return wrong.empty() ? compare(node["text"], value.integer_text()) : wrong;
  }
  if (kind == "float") {
    wrong = expect_kind(Kind::floating);
    return wrong.empty() ? compare(bits_of(node["bits"]), bits_of(value.as_double())) : wrong;
  }
  if (kind == "complex") {
    wrong = expect_kind(Kind::complex);
    if (!wrong.empty()) return wrong;
    return compare(bits_of(node["re_bits"]) + " " + bits_of(node["im_bits"]),
                   bits_of(value.as_complex().real()) + " " + bits_of(value.as_complex().imag()));
  }
  if (kind == "str") {
    wrong = expect_kind(Kind::string);
    if (!wrong.empty()) return wrong;
    return compare(node["utf8_hex"], to_hex(value.as_string().data(), value.as_string().size()));
  }
  if (kind == "tensor") {
    wrong = expect_kind(Kind::tensor);
    if (!wrong.empty()) return wrong;
    const std::string type = value.type_name().empty() ? "numpy.ndarray" : value.type_name();
    return compare(node["type"].get<std::string>() + " " + node["dtype"].get<std::string>() + " " +
                       shape_of(node) + " " + node["bytes_hex"].get<std::string>(),
                   type + " " + std::string(to_string(value.tensor().dtype())) + " " +
                       to_string(value.tensor().shape()) + " " + hex_of(value));
  }
  if (kind == "bytes" || kind == "bytearray") {
    wrong = expect_kind(Kind::bytes);
    if (!wrong.empty()) return wrong;
    return compare(kind + " " + node["hex"].get<std::string>(),
                   (value.type_name().empty() ? "bytes" : value.type_name()) + " " + hex_of(value));
  }
  if (kind == "range" || kind == "slice") {
    wrong = custom(kind);
    if (!wrong.empty()) return wrong;
    const std::vector<Value>& parts = value.payload().items();
    std::string found;
    for (const Value& part : parts) found += (part.is_none() ? "null" : part.as_string()) + " ";
    std::string expected;
    for (const char* name : {"start", "stop", "step"})
      expected += (node[name].is_null() ? "null" : node[name].get<std::string>()) + " ";
    return compare(expected, found);
  }
  if (kind == "ellipsis") return custom("ellipsis");
  if (kind == "custom") return custom(node["type"]);
  return "a node of unknown kind " + kind;
}

std::string sequence_difference(const Value& value, const Json& node, const std::string& kind,
                                const std::string& path) {
  const bool is_list = kind == "list" || kind == "collections.deque";
  const Kind wanted = is_list ? Kind::list : kind == "tuple" ? Kind::tuple : Kind::set;
  const bool is_usual = kind == "list" || kind == "tuple" || kind == "set";
  const std::string type = is_usual ? "" : kind;
  if (value.kind() != wanted || value.type_name() != type)
    return path + ": expected " + kind + ", found " + std::string(to_string(value.kind()));
  if (value.size() != node["items"].size()) return path + ": the sizes differ";
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string wrong = difference(value[i], node["items"][i], path + "/" + std::to_string(i));
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string mapping_difference(const Value& value, const Json& node, const std::string& kind,
                               const std::string& path) {
  const bool is_dict = kind != "struct";
  const Json& entries = is_dict ? node["entries"] : node["fields"];
  const bool is_other = is_dict && value.type_name() != (kind == "dict" ? "" : kind);
  if (value.kind() != (is_dict ? Kind::dict : Kind::structure) || is_other)
    return path + ": expected " + kind + ", found " + std::string(to_string(value.kind()));
  if (value.size() != entries.size()) return path + ": the sizes differ";
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Entry& entry = value.entries()[i];
    const std::string step = path + "/" + entry.key.key_label();
    std::string wrong;
    if (is_dict) wrong = difference(entry.key, entries[i][0], step + " (key)");
    else if (entry.key.as_string() != entries[i][0].get<std::string>())
      wrong = step + ": expected field " + entries[i][0].get<std::string>();
    if (wrong.empty()) wrong = difference(entry.value, entries[i][1], step);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

std::string difference(const Value& value, const Json& node, const std::string& path) {
  const std::string kind = node["kind"];
  if (node.contains("items")) return sequence_difference(value, node, kind, path);
  if (node.contains("entries") || kind == "struct")
    return mapping_difference(value, node, kind, path);
  const std::string wrong = leaf_difference(value, node, kind);
  return wrong.empty() ? wrong : path + ": " + wrong;
}

}  // namespace safestructures::test
