#include <safestructures/codecs/holders.hpp>

#include <vector>

namespace safestructures::inline v0 {
namespace {

bool is_mark(const Value& value) { return value.kind() == Kind::tuple && value.size() == 1; }

}  // namespace

Value mark_held(Value value) {
  if (!value.is_none() && !is_mark(value)) return value;
  std::vector<Value> items;
  items.push_back(std::move(value));
  return Value::tuple(std::move(items));
}

const Value& unmark_held(const Value& value) { return is_mark(value) ? value.items()[0] : value; }

}  // namespace safestructures::inline v0
