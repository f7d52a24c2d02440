#include "compare/pairing/nodes.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string_view>

#include <safestructures/data/attributes.hpp>
#include "compare/pairing/summary.hpp"
#include "data/children.hpp"
#include "data/path_text.hpp"
#include "data/text/number.hpp"

namespace safestructures::inline v0::comparing {
namespace {

struct Frame {
  const Value* value;
  std::size_t next;
  std::size_t path_size;  // The size of the node's own path.
  std::size_t name_size;
  bool has_strings;  // Whether some key is a string, so that others may have the same label.
};

bool has_strings(const Value& value) {
  return value.kind() == Kind::dict && std::ranges::any_of(value.entries(), [](const Entry& entry) {
           return entry.key.kind() == Kind::string;
         });
}

/// Returns the label of a key, without the suffix that files add to make it unique: `#2`.
std::string step_of(const Value& key) {
  std::string label = key.key_label();
  if (key.kind() <= Kind::string) return label;
  std::string text = detail::python_str(key);
  return label.starts_with(text + '#') ? text : label;
}

void append_escaped(std::string& path, std::string_view step) {
  path += '/';
  for (const char c : step) {
    if (c == '~') path += "~0";
    else if (c == '/') path += "~1";
    else path += c;
  }
}

}  // namespace

bool TreeNode::has_children() const {
  return value->kind() != Kind::set && !is_summary && detail::count_of_children(*value) != 0;
}

std::vector<TreeNode> nodes_of(const Value& root, std::string_view file) {
  std::vector<TreeNode> nodes;
  std::vector<Frame> frames;
  std::string path;
  std::string name;
  detail::PathText kept(file);
  const auto enter = [&](const Value& value) {
    const bool is_summary = summary_of(value).has_value();
    kept.add(path);
    nodes.push_back({path.empty() ? "/" : path, name, &value, is_summary});
    if (!is_summary && detail::count_of_children(value) != 0)
      frames.push_back({&value, 0, path.size(), name.size(), has_strings(value)});
  };
  enter(root);
  while (!frames.empty()) {
    Frame& frame = frames.back();
    path.resize(frame.path_size);
    name.resize(frame.name_size);
    const Value& value = *frame.value;
    if (value.kind() == Kind::set || frame.next == detail::count_of_children(value)) {
      frames.pop_back();
      continue;
    }
    const std::size_t number = frame.next++;
    const Value& child = detail::child_of(value, number);
    if (value.kind() != Kind::custom) {
      std::string step;
      std::string_view kind;
      if (value.is_mapping()) {
        const Value& key = value.entries()[number / 2].key;
        // The path of the value tells the key already.
        if (number % 2 == 0 && child.kind() <= Kind::string) continue;
        step = step_of(key);
        // If a dict has both 1 and "1", the string gets the plain name, as in files.
        if (frame.has_strings && key.kind() != Kind::string && value.find(step) != nullptr)
          kind = to_string(key.kind());
      } else {
        step = std::to_string(number);
      }
      append_escaped(path, step);
      if (!name.empty()) name += '.';
      name += step;
      if (!kind.empty()) {
        // No step contains a bare ~, because it is escaped as ~0.
        path.append(1, '~').append(kind);
        name.append(1, '~').append(kind);
      }
    }
    enter(child);
  }
  return nodes;
}

std::string label_of(const std::string& record, const std::string& path) {
  if (record.empty()) return path;
  return path == "/" ? record : record + path;
}

std::optional<DType> recorded_dtype(const Value& value) {
  const Value* const note = value.attribute(attributes::dtype);
  if (note == nullptr || note->kind() != Kind::string) return std::nullopt;
  return parse_dtype(note->as_string());
}

bool is_number(const Value& value) noexcept {
  return value.kind() == Kind::tensor || value.kind() == Kind::floating ||
         value.kind() == Kind::complex;
}

Tensor numbers_of(const Value& value) {
  if (value.kind() == Kind::floating)
    return Tensor::own(std::vector<double>{value.as_double()}, Shape{});
  if (value.kind() != Kind::complex) return value.tensor();
  // No dtype holds two doubles.
  const std::complex<double> parts = value.as_complex();
  return Tensor::own(std::vector<double>{parts.real(), parts.imag()});
}

}  // namespace safestructures::inline v0::comparing
