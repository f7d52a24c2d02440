#include "formats/pytorch/storages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <safestructures/data/decoder.hpp>
#include <safestructures/data/error.hpp>
#include "data/text/nearest_name.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

// PyTorch's keys are numbers. Each tensor looks for one.
constexpr std::size_t longest_key = 100;

struct Named {
  std::string_view name;
  ElementType type;
};

constexpr std::array dtypes = {
    Named{"torch.float32", {DType::F32}},
    Named{"torch.float64", {DType::F64}},
    Named{"torch.float16", {DType::F16}},
    Named{"torch.bfloat16", {DType::BF16}},
    Named{"torch.complex64", {DType::C64}},
    Named{"torch.complex128", {DType::F64, true}},
    Named{"torch.bool", {DType::BOOL}},
    Named{"torch.int8", {DType::I8}},
    Named{"torch.int16", {DType::I16}},
    Named{"torch.int32", {DType::I32}},
    Named{"torch.int64", {DType::I64}},
    Named{"torch.uint8", {DType::U8}},
    Named{"torch.uint16", {DType::U16}},
    Named{"torch.uint32", {DType::U32}},
    Named{"torch.uint64", {DType::U64}},
    Named{"torch.float8_e4m3fn", {DType::F8_E4M3}},
    Named{"torch.float8_e5m2", {DType::F8_E5M2}},
    Named{"torch.float8_e4m3fnuz", {DType::F8_E4M3FNUZ}},
    Named{"torch.float8_e5m2fnuz", {DType::F8_E5M2FNUZ}},
    Named{"torch.float8_e8m0fnu", {DType::F8_E8M0}},
};

constexpr std::array storage_types = {
    Named{"torch.FloatStorage", {DType::F32}},
    Named{"torch.DoubleStorage", {DType::F64}},
    Named{"torch.HalfStorage", {DType::F16}},
    Named{"torch.BFloat16Storage", {DType::BF16}},
    Named{"torch.ComplexFloatStorage", {DType::C64}},
    Named{"torch.ComplexDoubleStorage", {DType::F64, true}},
    Named{"torch.BoolStorage", {DType::BOOL}},
    Named{"torch.CharStorage", {DType::I8}},
    Named{"torch.ShortStorage", {DType::I16}},
    Named{"torch.IntStorage", {DType::I32}},
    Named{"torch.LongStorage", {DType::I64}},
    Named{"torch.ByteStorage", {DType::U8}},
    Named{"torch.storage.UntypedStorage", {DType::U8}},
};

template <std::size_t N>
std::optional<ElementType> find(const std::array<Named, N>& all, std::string_view name) {
  const auto* const found = std::ranges::find(all, name, &Named::name);
  return found == all.end() ? std::nullopt : std::optional(found->type);
}

[[noreturn]] void fail(std::string_view expected, std::string found) {
  throw Error(ErrorCode::invalid_schema, "a part of the pickle has an unknown form",
              {.expected = std::string(expected),
               .found = std::move(found),
               .advice = "Load it with torch.load and save its state_dict()"});
}

std::string_view to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::value: break;
    case ObjectKind::list: return "a list";
    case ObjectKind::tuple: return "a tuple";
    case ObjectKind::set:
    case ObjectKind::frozen_set: return "a set";
    case ObjectKind::dict: return "a dict";
    case ObjectKind::global: return "a class or function";
    case ObjectKind::call: return "an object";
    case ObjectKind::persistent: return "a storage";
  }
  return "a value";
}

std::string describe_object(const Object& object) {
  return object.kind == ObjectKind::value ? describe(object.value)
                                          : std::string(to_string(object.kind));
}

}  // namespace

std::optional<ElementType> dtype_named(std::string_view name) { return find(dtypes, name); }

const Object& object_at(const Pickle& pickle, Id id, ObjectKind kind, std::string_view expected) {
  const Object& object = pickle.objects[id];
  if (object.kind != kind) fail(expected, describe_object(object));
  return object;
}

const std::string& text_at(const Pickle& pickle, Id id, std::string_view expected) {
  const Object& object = object_at(pickle, id, ObjectKind::value, expected);
  if (object.value.kind() != Kind::string) fail(expected, describe(object.value));
  return object.value.as_string();
}

std::uint64_t count_at(const Pickle& pickle, Id id, std::string_view expected) {
  const Object& object = object_at(pickle, id, ObjectKind::value, expected);
  const auto number =
      object.value.kind() == Kind::integer ? object.value.as_uint64() : std::nullopt;
  if (!number) fail(expected, describe(object.value));
  return *number;
}

StorageId storage_id(const Pickle& pickle, Id id) {
  constexpr std::string_view form = "('storage', type, key, device, size)";
  const Object& persistent = object_at(pickle, id, ObjectKind::persistent, "a storage");
  const std::vector<Id>& parts =
      object_at(pickle, persistent.parts[0], ObjectKind::tuple, form).parts;
  if (parts.size() < 5 || parts.size() > 6 || text_at(pickle, parts[0], form) != "storage")
    fail(form, "another tuple");
  // Files of before 2016 have views of storages there.
  if (parts.size() == 6 &&
      !object_at(pickle, parts[5], ObjectKind::value, "no view of a storage").value.is_none())
    fail("no view of a storage", "one");
  const std::string& type =
      object_at(pickle, parts[1], ObjectKind::global, "the type of a storage").value.as_string();
  const std::optional<ElementType> element = find(storage_types, type);
  if (!element)
    throw Error(ErrorCode::unknown_dtype, "a storage has a type that no dtype here is for",
                {.found = detail::list_names(std::array{std::string_view(type)}),
                 .advice = "Convert the tensor before it is saved, such as by dequantize()"});
  const std::string_view key = text_at(pickle, parts[2], "the key of a storage");
  if (key.size() > longest_key)
    fail("a key of at most 100 bytes", detail::counted(key.size(), "byte"));
  return {.key = key,
          .element = *element,
          .count = count_at(pickle, parts[4], "the size of a storage")};
}

}  // namespace safestructures::inline v0::pytorch
