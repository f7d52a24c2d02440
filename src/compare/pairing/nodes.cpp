#include "compare/pairing/nodes.hpp"

#include <cstddef>
#include <string_view>

#include <safestructures/data/attributes.hpp>
#include "compare/pairing/summary.hpp"
#include "data/children.hpp"
#include "data/path_text.hpp"

namespace safestructures::inline v0::comparing {
namespace {

struct Frame {
  const Value* value;
  std::size_t next;
  std::size_t path_size;  // Of the node itself.
  std::size_t name_size;
};

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
      frames.push_back({&value, 0, path.size(), name.size()});
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
      if (value.is_mapping()) {
        const Value& key = value.entries()[number / 2].key;
        // The path says it already.
        if (number % 2 == 0 && child.kind() <= Kind::string) continue;
        step = key.key_label();
      } else {
        step = std::to_string(number);
      }
      append_escaped(path, step);
      if (!name.empty()) name += '.';
      name += step;
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
  return value.kind() == Kind::tensor || value.kind() == Kind::floating;
}

Tensor numbers_of(const Value& value) {
  if (value.kind() != Kind::floating) return value.tensor();
  return Tensor::own(std::vector<double>{value.as_double()}, Shape{});
}

}  // namespace safestructures::inline v0::comparing
