#include "cli/walk.hpp"

#include <vector>

#include <safestructures/formats/schema.hpp>

namespace safestructures::cli {

void for_each_tensor(const Value& root, const std::function<void(const Value&)>& visit) {
  std::vector<const Value*> pending = {&root};
  while (!pending.empty()) {
    const Value& value = *pending.back();
    pending.pop_back();
    if (value.kind() == Kind::tensor || value.kind() == Kind::bytes) {
      visit(value);
    } else if (value.is_sequence()) {
      for (const Value& item : value.items()) pending.push_back(&item);
    } else if (value.is_mapping()) {
      for (const Entry& entry : value.entries()) pending.push_back(&entry.value);
    } else if (value.kind() == Kind::custom) {
      pending.push_back(&value.payload());
    }
  }
}

std::size_t tensor_count(const Document& document) {
  const safetensors::File& file = document.file();
  if (!document.has_schema() || file.size() != 1 || file.name(0) != schema::dummy_tensor)
    return file.size();
  bool is_used = false;
  for_each_tensor(document.root(), [&](const Value&) { is_used = true; });
  return is_used ? 1 : 0;
}

}  // namespace safestructures::cli
