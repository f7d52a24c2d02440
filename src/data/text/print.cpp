#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/value.hpp>
#include "data/text/column_names.hpp"
#include "data/text/number.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0 {
namespace {

constexpr std::array<std::string_view, 14> kind_names = {
    "None", "bool",  "int", "float", "complex", "str",    "bytes",
    "list", "tuple", "set", "dict",  "struct",  "tensor", "custom"};
static_assert(kind_names.size() == static_cast<std::size_t>(Kind::custom) + 1);

/// Quotes a text on one line: escapes what is unsafe on a terminal, and cuts it after `limit`
/// bytes, never inside a UTF-8 sequence.
std::string quote(std::string_view text, std::size_t limit) {
  const std::string_view shown = detail::cut(text, limit);
  std::string quoted = "\"";
  detail::append_printable(quoted, shown, true);
  quoted += '"';
  if (shown.size() < text.size()) quoted += "... (" + std::to_string(text.size()) + " bytes)";
  return quoted;
}

template <class T>
T element_of(const Tensor& tensor, std::uint64_t index) {
  // Elements narrower than a byte can only be read in groups of eight.
  const std::uint64_t most = bit_width(tensor.dtype()) < 8 ? 8 : 1;
  const std::uint64_t first = index / most * most;
  std::array<T, 8> group{};
  const std::uint64_t count = std::min(most, tensor.size() - first);
  tensor.copy_elements(
      first, count, dtype_of<T>,
      std::as_writable_bytes(std::span(group).first(static_cast<std::size_t>(count))),
      Overflow::allow);
  return group[static_cast<std::size_t>(index - first)];
}

/// Returns the name of an element in a column of enums; null if it has none.
const std::string* name_of_element(const Value& value, std::uint64_t index) {
  const Tensor& tensor = value.tensor();
  if (!is_integer(tensor.dtype()) || detail::names_of_column(value) == nullptr) return nullptr;
  const Value number = tensor.dtype() == DType::U64
                           ? Value(element_of<std::uint64_t>(tensor, index))
                           : Value(element_of<std::int64_t>(tensor, index));
  const std::optional<std::int64_t> known = number.as_int64();
  return known ? detail::name_in_column(value, *known) : nullptr;
}

void append_number(std::string& text, const Tensor& tensor, std::uint64_t index) {
  if (tensor.dtype() == DType::BOOL) {
    // Not converted: a file may contain any byte, and users want to see it.
    std::array<std::byte, 1> byte{};
    tensor.copy_elements(index, 1, DType::BOOL, byte, Overflow::allow);
    if (byte[0] <= std::byte{1}) text += byte[0] == std::byte{1} ? "true" : "false";
    else detail::append_hex(text += "0x", std::to_integer<std::uint32_t>(byte[0]), 2);
  } else if (tensor.dtype() == DType::U64) {
    text += std::to_string(element_of<std::uint64_t>(tensor, index));
  } else if (is_integer(tensor.dtype())) {
    text += std::to_string(element_of<std::int64_t>(tensor, index));
  } else if (tensor.dtype() == DType::C64) {
    const auto value = element_of<std::complex<float>>(tensor, index);
    detail::append_complex(text, {detail::with_shortest_digits(value.real()),
                                  detail::with_shortest_digits(value.imag())});
  } else if (tensor.dtype() == DType::F64) {
    detail::append_float(text, element_of<double>(tensor, index));
  } else {
    detail::append_float(text, detail::with_shortest_digits(element_of<float>(tensor, index)));
  }
}

std::string describe_tensor(const Value& value, const PrintOptions& options) {
  const std::size_t elements = options.elements;
  const Tensor& tensor = value.tensor();
  std::string text(to_string(tensor.dtype()));
  const Value* original = value.attribute(attributes::dtype);
  // Trees show the dtype before storing; short descriptions do not.
  if (elements > 0 && original != nullptr && original->kind() == Kind::string)
    text += ", was " + detail::printable(detail::cut(original->as_string(), 20));
  text += " " + to_string(tensor.shape());
  if (elements == 0 || tensor.size() == 0) return text;
  text += "  ";
  const std::uint64_t shown = std::min<std::uint64_t>(elements, tensor.size());
  for (std::uint64_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    if (const std::string* const name = name_of_element(value, i))
      text += quote(*name, options.text);
    else append_number(text, tensor, i);
  }
  if (shown < tensor.size()) text += ", ...";
  return text;
}

std::string describe_struct(const Value& value) {
  std::string text = "struct";
  if (!value.type_name().empty()) text += " " + detail::printable(value.type_name());
  const Value* const columns = value.attribute(attributes::columns);
  if (columns == nullptr || columns->kind() != Kind::integer) return text;
  // An attribute that says anything else has another meaning.
  const std::optional<std::uint64_t> count = columns->as_uint64();
  const bool are_columns = count && std::ranges::all_of(value.entries(), [&](const Entry& field) {
                             if (field.value.kind() != Kind::tensor)
                               return field.value.kind() == Kind::structure;
                             const Tensor& tensor = field.value.tensor();
                             return tensor.rank() > 0 && tensor.shape()[0] == *count;
                           });
  return are_columns ? text + ", columns of " + detail::counted(*count, "item") : text;
}

std::string describe(const Value& value, const PrintOptions& options) {
  switch (value.kind()) {
    case Kind::none: return "None";
    case Kind::boolean: return value.as_bool() ? "True" : "False";
    case Kind::integer: {
      std::string text = value.integer_text();
      if (text.size() <= options.text) return text;
      return text.substr(0, options.text) + "... (" + std::to_string(text.size()) + " digits)";
    }
    case Kind::floating: {
      std::string text;
      detail::append_float(text, value.as_double());
      return text;
    }
    case Kind::complex: {
      std::string text;
      detail::append_complex(text, value.as_complex());
      return text;
    }
    case Kind::string: return quote(value.as_string(), options.text);
    case Kind::bytes: return "bytes of " + std::to_string(value.tensor().size());
    case Kind::tensor: return describe_tensor(value, options);
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dict: {
      const std::string name = value.type_name().empty() ? std::string(to_string(value.kind()))
                                                         : detail::printable(value.type_name());
      return name + " of " + std::to_string(value.size());
    }
    case Kind::structure: return describe_struct(value);
    case Kind::custom: return "custom " + detail::printable(value.type_name());
  }
  return {};
}

/// Prints a value and everything below it. Recursive, up to `options.depth`.
void print_node(std::ostream& out, const std::string& name, const Value& value,
                const PrintOptions& options, const std::string& prefix, std::size_t level,
                bool is_last) {
  const bool is_root = level == 0;
  out << prefix;
  if (!is_root) out << (is_last ? "└─ " : "├─ ");
  if (!name.empty()) out << name << ": ";
  out << describe(value, options) << '\n';

  const std::string below = is_root ? prefix : prefix + (is_last ? "   " : "│  ");
  const bool is_container =
      value.is_sequence() || value.is_mapping() || value.kind() == Kind::custom;
  if (!is_container) return;
  if (value.kind() == Kind::custom) {
    if (level >= options.depth) out << below << "└─ ...\n";
    else print_node(out, {}, value.payload(), options, below, level + 1, true);
    return;
  }
  const std::size_t count = value.size();
  if (count > 0 && level >= options.depth) {
    out << below << "└─ ...\n";
    return;
  }
  // One item above the limit is shown instead of a line that says "1 more".
  const std::size_t shown =
      count <= options.items || count - 1 == options.items ? count : options.items;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == count;
    if (value.is_sequence()) {
      print_node(out, value.kind() == Kind::set ? std::string() : std::to_string(i),
                 value.items()[i], options, below, level + 1, last);
    } else {
      const Entry& entry = value.entries()[i];
      const bool is_field = value.kind() == Kind::structure;
      std::string label = entry.key.key_label();
      if (!is_field && entry.key.kind() == Kind::string) label = quote(label, options.text);
      else label = detail::printable(label);
      print_node(out, label, entry.value, options, below, level + 1, last);
    }
  }
  // Not formatted by the stream, whose locale may group digits.
  if (shown < count) out << below << "└─ ... " << std::to_string(count - shown) << " more\n";
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < kind_names.size() ? kind_names[index] : "unknown";
}

void print(std::ostream& out, const Value& value, const PrintOptions& options) {
  print_node(out, {}, value, options, {}, 0, true);
}

std::string to_string(const Value& value, const PrintOptions& options) {
  std::ostringstream out;
  print(out, value, options);
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Value& value) {
  print(out, value);
  return out;
}

std::string describe(const Value& value) {
  const std::string_view kind = to_string(value.kind());
  std::string text = describe(value, PrintOptions{.text = 40, .elements = 0});
  switch (value.kind()) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::floating:
    case Kind::complex:
    case Kind::string:
    case Kind::tensor: return std::string(kind) + " " + text;
    default: return text;
  }
}

}  // namespace safestructures::inline v0
