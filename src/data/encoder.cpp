#include <safestructures/data/encoder.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/box.hpp"
#include "data/limit.hpp"
#include "data/recent_names.hpp"

namespace safestructures::inline v0 {

Value Encoder::encode_registered(const Registry::Type& type, const void* object) {
  const Nested level(*this);
  try {
    return Value::custom(type.name, type.encode(object, *this));
  } catch (...) {
    rethrow(type.name);
  }
}

namespace {

/// Names every unnamed tensor by its path, so that copies of the value agree on it. Recursive; the
/// value was just encoded within the depth limit.
void name_tensors(Value& value, const std::string& prefix) {
  const auto name = [&](std::string_view step) {
    return prefix.empty() ? std::string(step) : prefix + "." + std::string(step);
  };
  if (value.has_tensor()) {
    if (value.tensor_name().empty()) value.set_tensor_name(prefix);
  } else if (value.is_sequence()) {
    for (std::size_t i = 0; i < value.size(); ++i) name_tensors(value[i], name(std::to_string(i)));
  } else if (value.is_mapping()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      name_tensors(value.entry_value(i), name(value.entries()[i].key.key_label()));
  } else if (value.kind() == Kind::custom) {
    name_tensors(value.payload(), prefix);
  }
}

struct Contents {
  std::uint64_t nodes = 0;
  bool has_tensor = false;
};

/// Looks at all nodes of a tree without recursion.
Contents contents_of(const Value& root) {
  Contents found;
  std::vector<const Value*> pending = {&root};
  while (!pending.empty()) {
    const Value& value = *pending.back();
    pending.pop_back();
    ++found.nodes;
    if (value.has_tensor()) found.has_tensor = true;
    else if (value.is_sequence())
      for (const Value& item : value.items()) pending.push_back(&item);
    else if (value.is_mapping())
      for (const Entry& entry : value.entries()) pending.push_back(&entry.value);
    else if (value.kind() == Kind::custom) pending.push_back(&value.payload());
  }
  return found;
}

}  // namespace

Encoder::SharedScope::SharedScope(Encoder& encoder, const void* object, std::type_index type)
    : encoder_(encoder) {
  const auto [place, is_new] = encoder_.shared_.try_emplace({object, type});
  entry_ = &*place;
  first_ = is_new;
  if (!first_ && !entry_->second.done)
    encoder_.fail(
        ErrorCode::cycle, "a structure contains itself",
        {.advice = "Break the cycle, for example with a std::weak_ptr or a skipped field"});
}

Encoder::SharedScope::~SharedScope() {
  if (first_ && !entry_->second.done) encoder_.shared_.erase(SharedKey(entry_->first));
}

const Value* Encoder::SharedScope::known() const {
  if (first_) return nullptr;
  const Shared& shared = entry_->second;
  encoder_.repeated_nodes_ += shared.nodes;
  const std::uint64_t most = encoder_.limits().nodes;
  if (encoder_.repeated_nodes_ > most)
    throw detail::past(
        detail::Limit::nodes, most,
        {.path = encoder_.path(),
         .advice = "A shared object is stored once for each place that refers to it"});
  return &shared.value;
}

Value Encoder::SharedScope::remember(Value value) const {
  const Contents contents = contents_of(value);
  if (contents.has_tensor) name_tensors(value, encoder_.dotted_path());
  entry_->second = {value, contents.nodes, true};
  return value;
}

Value Encoder::name(std::string_view text) {
  Value shared;
  detail::Box::share_string(detail::remember_name(names_, text, detail::quick_hash(text)), shared);
  return shared;
}

}  // namespace safestructures::inline v0
