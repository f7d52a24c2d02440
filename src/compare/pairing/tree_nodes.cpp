#include "compare/pairing/tree_nodes.hpp"

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

/// The part of a path for a child.
struct Step {
  std::string text;
  std::string_view kind;  // Of the key, if another key has the same label.
};

/// \param has_strings as in `Frame`
Step step_to(const Value& value, std::size_t number, bool has_strings) {
  if (!value.is_mapping()) return {std::to_string(number), {}};
  const Value& key = value.entries()[number / 2].key;
  Step step{step_of(key), {}};
  // If a dict has both 1 and "1", the string gets the plain name, as in files.
  if (has_strings && key.kind() != Kind::string && value.find(step.text) != nullptr)
    step.kind = to_string(key.kind());
  return step;
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
    // The path of the value tells such a key already.
    if (value.is_mapping() && number % 2 == 0 && child.kind() <= Kind::string) continue;
    if (value.kind() != Kind::custom) {
      const Step step = step_to(value, number, frame.has_strings);
      append_escaped(path, step.text);
      if (!name.empty()) name += '.';
      name += step.text;
      if (!step.kind.empty()) {
        // No step contains a bare ~, because it is escaped as ~0.
        path.append(1, '~').append(step.kind);
        name.append(1, '~').append(step.kind);
      }
    }
    enter(child);
  }
  return nodes;
}

std::size_t size_of(const Value& value) {
  return value.is_sequence() || value.is_mapping() ? value.size() : 0;
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
