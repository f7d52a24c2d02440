#include <safestructures/codecs/kinds.hpp>

#include <vector>

namespace safestructures::detail {
namespace {

bool is_mark(const Value& value) { return value.kind() == Kind::tuple && value.size() == 1; }

}  // namespace

Value mark_engaged(Value value) {
  if (!value.is_none() && !is_mark(value)) return value;
  std::vector<Value> items;
  items.push_back(std::move(value));
  return Value::tuple(std::move(items));
}

const Value& unmark_engaged(const Value& value) {
  return is_mark(value) ? value.items()[0] : value;
}

}  // namespace safestructures::detail
