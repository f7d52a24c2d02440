#include <safestructures/data/decoder.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/convert.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/walk.hpp>
#include "data/box.hpp"
#include "data/copy_back.hpp"
#include "data/dict.hpp"
#include "data/same_view.hpp"
#include "platform/parallel.hpp"

namespace safestructures::inline v0 {

std::shared_ptr<void> Decoder::decode_registered(const Registry::Type& type, const Value& value) {
  const Value& payload = expect_custom(value, type.name);
  const Nested level(*this);
  try {
    return type.decode(payload, *this);
  } catch (...) {
    rethrow(type.name);
  }
}

const Value& Decoder::expect_custom(const Value& value, std::string_view type_name) const {
  if (value.kind() != Kind::custom || value.type_name() != type_name)
    mismatch("a value of type '" + std::string(type_name) + "'", value);
  return value.payload();
}

void Decoder::mismatch(std::string_view expected, const Value& value) const {
  fail(ErrorCode::type_mismatch, "a value has the wrong type",
       {.expected = std::string(expected), .found = describe(value)});
}

Tensor Decoder::restored(const Value& value) {
  try {
    return restored_here(value);
  } catch (const Error& error) {
    throw error.with_path(path());
  }
}

namespace {

// Larger tensors are divided among threads one at a time.
constexpr std::uint64_t converted_alone = std::uint64_t{8} << 20U;
// Each of these justifies one more thread, as in Tensor::copy_to.
constexpr std::size_t converted_share = std::size_t{4} << 20U;

DType original_dtype(const Value& original) {
  const auto dtype =
      original.kind() == Kind::string ? parse_dtype(original.as_string()) : std::nullopt;
  if (dtype) return *dtype;
  throw Error(ErrorCode::unknown_dtype, "a tensor's original dtype is not known",
              {.found = describe(original)});
}

/// Whether any tensor in the tree, including keys, is marked as having had another dtype. Most
/// structures with many nodes have none, and a walk, which tracks the place of each node, takes 14
/// ns per node.
bool holds_converted(const Value& root) {
  std::vector<const Value*> pending{&root};
  const auto look_at = [&](const Value& part) {
    if (part.kind() > Kind::string) pending.push_back(&part);
  };
  while (!pending.empty()) {
    const Value& value = *pending.back();
    pending.pop_back();
    if (value.kind() == Kind::tensor && value.attribute(attributes::dtype) != nullptr) return true;
    if (value.is_sequence())
      for (const Value& item : detail::Box::items(value)) look_at(item);
    if (value.is_mapping())
      for (const Entry& entry : detail::Box::entries(value)) {
        look_at(entry.key);
        look_at(entry.value);
      }
    if (value.kind() == Kind::custom) look_at(value.payload());
    if (detail::Box::has_extras(value))
      for (const Entry& attribute : value.attributes()) look_at(attribute.value);
  }
  return false;
}

std::string path_of(const Value& part, const Value& root) {
  std::string path;
  walk(root, [&](const Place& place) {
    if (&place.value() != &part) return Next::into;
    path = place.path().to_string();
    return Next::stop;
  });
  return path;
}

/// Whether keys of a dict, or members of a set, may change. Adds such keys to `keys`.
/// \param all whether to add keys without checking each: inside a key that is restored as a whole
bool may_change(Value& value, bool all, std::vector<Value*>& keys) {
  const auto is_large = [](const Value& part) { return part.kind() > Kind::string; };
  if (value.kind() == Kind::set) return std::ranges::any_of(detail::Box::items(value), is_large);
  if (value.kind() != Kind::dict) return false;
  const std::size_t before = keys.size();
  for (Entry& entry : static_cast<detail::DictBox*>(detail::Box::of(value))->dict.entries())
    if (is_large(entry.key) && (all || holds_converted(entry.key))) keys.push_back(&entry.key);
  return keys.size() > before;
}

/// Makes a dict find its keys after they have changed.
/// \throws Error `duplicate_name` for two that have become equal, also as members of a set
void index_again(Value& keyed) {
  if (keyed.kind() == Kind::set) {
    const std::vector<Value>& items = detail::Box::items(keyed);
    const std::size_t repeated = detail::find_repeated(items);
    if (repeated != detail::Dict::npos) throw detail::repeated_item(items, repeated, nullptr);
  } else {
    std::vector<Entry> entries = std::move(keyed).entries();
    detail::insert_all(keyed, entries);
  }
}

}  // namespace

Tensor Decoder::restored_later(const Value& value, std::vector<Conversion>& later) {
  const Tensor& stored = value.tensor();
  const DType dtype = original_dtype(*value.attribute(attributes::dtype));
  if (stored.byte_size() >= converted_alone || stored.dtype() == dtype) return restored_here(value);
  std::vector<Restored>& copies = restored_[stored.identity()];
  const auto known = std::ranges::find_if(copies, [&](const Restored& copy) {
    return detail::same_view(copy.stored, stored) && copy.tensor.dtype() == dtype;
  });
  if (known != copies.end()) return known->tensor;
  copies.push_back({stored, Tensor::allocate(dtype, stored.shape())});
  later.push_back({&value, stored, copies.back().tensor});
  return copies.back().tensor;
}

void Decoder::convert(const std::vector<Conversion>& conversions, const Value& root) const {
  std::size_t bytes = 0;
  for (const Conversion& one : conversions)
    bytes += static_cast<std::size_t>(one.target.byte_size());
  std::mutex mutex;
  std::size_t failed = conversions.size();
  try {
    platform::in_pieces(
        conversions.size(), 1,
        [&](std::size_t index, std::size_t, unsigned) {
          const Conversion& one = conversions[index];
          try {
            Tensor target = one.target;
            detail::copy_back(one.stored, target.dtype(), target.mutable_bytes(), overflow_);
          } catch (...) {
            const std::lock_guard lock(mutex);
            failed = std::min(failed, index);
            throw;
          }
        },
        platform::threads_for(bytes, converted_share));
  } catch (const Error& error) {
    throw error.with_path(path_of(*conversions[failed].value, root)).with_parent_path(path());
  }
}

Tensor Decoder::restored_here(const Value& value) {
  const Tensor& stored = value.tensor();
  const Value* const original = value.attribute(attributes::dtype);
  if (original == nullptr) return stored;
  std::vector<Restored>& copies = restored_[stored.identity()];
  const auto known = std::ranges::find_if(copies, [&](const Restored& copy) {
    return detail::same_view(copy.stored, stored) && original->kind() == Kind::string &&
           to_string(copy.tensor.dtype()) == original->as_string();
  });
  if (known != copies.end()) return known->tensor;
  copies.push_back({stored, restored_tensor(value, overflow_)});
  return copies.back().tensor;
}

void Decoder::restore(Value& root) {
  if (!holds_converted(root)) return;
  std::vector<Conversion> later;
  std::vector<Value*> keyed;
  // A walk does not visit keys: each that needs it is walked separately.
  std::vector<Value*> trees{&root};
  for (std::size_t i = 0; i < trees.size(); ++i)
    walk(*trees[i], [&](Value& value, const Place&) {
      if (may_change(value, i > 0, trees)) keyed.push_back(&value);
      if (value.kind() != Kind::tensor || value.attribute(attributes::dtype) == nullptr)
        return Next::into;
      try {
        value.set_tensor(restored_later(value, later));
      } catch (const Error& error) {
        convert(later, root);  // Anything before it may be wrong as well.
        throw error.with_path(path_of(value, root)).with_parent_path(path());
      }
      value.erase_attribute(attributes::dtype);
      return Next::into;
    });
  convert(later, root);
  // From the inside out: the entries of a dict are moved, including those that were noted.
  while (!keyed.empty()) {
    Value& last = *keyed.back();
    keyed.pop_back();
    try {
      index_again(last);
    } catch (const Error& error) {
      throw error.with_path("/").with_parent_path(path_of(last, root)).with_parent_path(path());
    }
  }
}

Tensor restored_tensor(const Value& value, Overflow overflow) {
  const Tensor& tensor = value.tensor();
  const Value* original = value.attribute(attributes::dtype);
  if (original == nullptr) return tensor;
  const DType dtype = original_dtype(*original);
  if (tensor.dtype() == dtype) return tensor;
  Tensor restored = Tensor::allocate(dtype, tensor.shape());
  detail::copy_back(tensor, dtype, restored.mutable_bytes(), overflow);
  return restored;
}

}  // namespace safestructures::inline v0
