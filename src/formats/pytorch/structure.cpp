#include "formats/pytorch/structure.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "formats/pytorch/numpy.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

// About what a node takes in memory. A value takes at least a byte in the pickle, so that without
// repetitions `Limits::expansion` is not reached.
constexpr std::uint64_t node_bytes = 64;
// PyTorch gives two. All are looked at for each tensor that refers to them.
constexpr std::size_t most_properties = 16;

[[noreturn]] void fail_form(std::string problem, std::string_view expected, const Trace* trace) {
  throw Error(ErrorCode::invalid_schema, std::move(problem),
              {.path = to_string(trace), .expected = std::string(expected)});
}

/// The name of a class without its module.
std::string_view class_name(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

StructureMaker::StructureMaker(const Pickle& pickle, Tensors& tensors, std::uint64_t size,
                               const Limits& limits)
    : pickle_(pickle),
      tensors_(tensors),
      limits_(limits),
      is_open_(pickle.objects.size()),
      most_(detail::most_unpacked(size, limits)) {}

const StructureMaker::Known* StructureMaker::find_known(std::string_view name) {
  using Self = StructureMaker;
  static constexpr std::array known = {
      Known{"torch._utils._rebuild_tensor", 4, &Self::tensor_of_storage},
      Known{"torch._utils._rebuild_tensor_v2", 4, &Self::tensor_of_storage},
      Known{"torch._utils._rebuild_tensor_v3", 7, &Self::tensor_of_bytes},
      Known{"torch._utils._rebuild_parameter", 1, &Self::first_argument},
      Known{"torch._utils._rebuild_parameter_with_state", 1, &Self::first_argument},
      Known{"torch._tensor._rebuild_from_type", 3, &Self::tensor_of_subclass},
      Known{"torch._tensor._rebuild_from_type_v2", 3, &Self::tensor_of_subclass},
      Known{"torch.Size", 1, &Self::first_argument},
      Known{"torch.device", 1, &Self::first_argument},
      Known{"torch.serialization._get_layout", 1, &Self::first_argument},
      Known{"collections.OrderedDict", 0, &Self::dict},
      Known{"collections.defaultdict", 0, &Self::default_dict},
      Known{"_codecs.encode", 2, &Self::bytes},
      Known{"numpy._core.multiarray.scalar", 2, &Self::numpy_scalar},
      Known{"numpy.core.multiarray.scalar", 2, &Self::numpy_scalar},
      Known{"numpy._core.multiarray._reconstruct", 1, &Self::numpy_array},
      Known{"numpy.core.multiarray._reconstruct", 1, &Self::numpy_array},
      // Protocol 2 has the names of Python 2.
      Known{"__builtin__.set", 1, &Self::set},
      Known{"builtins.set", 1, &Self::set},
      Known{"__builtin__.frozenset", 1, &Self::frozen_set},
      Known{"builtins.frozenset", 1, &Self::frozen_set},
      Known{"__builtin__.bytearray", 0, &Self::bytes},
      Known{"builtins.bytearray", 0, &Self::bytes},
      Known{"__builtin__.bytes", 0, &Self::bytes},
      Known{"__builtin__.complex", 2, &Self::complex},
      Known{"builtins.complex", 2, &Self::complex},
  };
  const auto* const found = std::ranges::find(known, name, &Known::name);
  return found == known.end() ? nullptr : found;
}

/// A pickle may refer to each of its parts many times, each time in two bytes.
void StructureMaker::count(std::uint64_t size, const Trace* trace) {
  if (size > most_ - made_)
    throw detail::past(detail::Limit::expansion, most_,
                       "the pickle refers to its own parts too often", {.path = to_string(trace)});
  made_ += size;
}

Value StructureMaker::value(Id id, const Trace* trace) {
  if (++nodes_ > limits_.nodes)
    throw detail::past(detail::Limit::nodes, limits_.nodes, {.path = to_string(trace)});
  count(node_bytes, trace);
  const Object& object = pickle_.objects[id];
  if (object.kind == ObjectKind::value) return leaf(object.value, trace);
  if (is_open_[id])
    throw Error(ErrorCode::cycle, "the structure contains itself",
                {.path = to_string(trace), .advice = "Save it without the reference to itself"});
  const detail::Descent level(depth_, limits_.depth, trace);
  is_open_[id] = true;
  try {
    Value result = value_of(object, id, trace);
    is_open_[id] = false;
    return result;
  } catch (const Error& error) {
    throw error.with_path(to_string(trace));
  }
}

Value StructureMaker::leaf(const Value& value, const Trace* trace) {
  if (value.kind() == Kind::string) count(value.as_string().size(), trace);
  else if (value.kind() == Kind::bytes) count(value.tensor().size(), trace);
  return value;
}

Value StructureMaker::value_of(const Object& object, Id id, const Trace* trace) {
  switch (object.kind) {
    case ObjectKind::value: break;
    case ObjectKind::list: return Value::list(items(object.parts, trace));
    case ObjectKind::tuple: return Value::tuple(items(object.parts, trace));
    case ObjectKind::set: return Value::set(items(object.parts, trace));
    case ObjectKind::frozen_set: {
      Value result = Value::set(items(object.parts, trace));
      result.set_type_name("frozenset");
      return result;
    }
    case ObjectKind::dict: {
      Value result = Value::dict();
      insert_entries(object.parts, result, trace);
      return result;
    }
    case ObjectKind::call: return call(*object.call, trace);
    case ObjectKind::persistent: {
      const StorageId storage = storage_id(pickle_, id);
      const std::array shape = {storage.count};
      const std::array strides = {std::uint64_t{1}};
      return tensors_.make(storage, {storage.element, 0, shape, strides}, trace);
    }
    case ObjectKind::global: break;
  }
  return leaf(object.value, trace);
}

std::vector<Value> StructureMaker::items(const std::vector<Id>& ids, const Trace* trace) {
  std::vector<Value> result;
  result.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Trace step{trace, {}, i};
    result.push_back(value(ids[i], &step));
  }
  return result;
}

void StructureMaker::insert_entries(const std::vector<Id>& ids, Value& into, const Trace* trace) {
  into.reserve(into.size() + ids.size() / 2);
  for (std::size_t i = 0; i + 1 < ids.size(); i += 2) {
    Value key = value(ids[i], trace);
    const std::string name = key.kind() == Kind::string    ? key.as_string()
                             : key.kind() == Kind::integer ? key.integer_text()
                                                           : std::string("a key");
    const Trace step{trace, name, Trace::npos};
    Value entry = value(ids[i + 1], &step);
    try {
      into.insert(std::move(key), std::move(entry));
    } catch (const Error& error) {
      throw error.with_path(to_string(&step));
    }
  }
}

/// Sets the attributes of an instance: from a dict, or for a class with slots from a tuple of two.
void StructureMaker::insert_fields(Id state, Value& into, const Trace* trace) {
  const Object& object = pickle_.objects[state];
  if (object.kind == ObjectKind::dict) return insert_entries(object.parts, into, trace);
  for (const Id part : object.parts)
    if (pickle_.objects[part].kind == ObjectKind::dict)
      insert_entries(pickle_.objects[part].parts, into, trace);
}

std::string StructureMaker::name_of(Id callee, const Trace* trace) const {
  const Object& object = pickle_.objects[callee];
  if (object.kind == ObjectKind::global) return object.value.as_string();
  // A class inside another one.
  if (object.kind == ObjectKind::call) {
    const Object& getter = pickle_.objects[object.call->callee];
    const std::vector<Id>& parts = arguments(object.call->arguments);
    if (getter.kind == ObjectKind::global && class_name(getter.value.as_string()) == "getattr" &&
        parts.size() == 2 && pickle_.objects[parts[0]].kind == ObjectKind::global)
      return pickle_.objects[parts[0]].value.as_string() + '.' +
             text_at(pickle_, parts[1], "the name of a class");
  }
  fail_form("the pickle calls what another call gave", "a class or function", trace);
}

StructureMaker::Arguments StructureMaker::arguments(Id id) const {
  return object_at(pickle_, id, ObjectKind::tuple, "a tuple of arguments").parts;
}

Value StructureMaker::call(const Call& call, const Trace* trace) {
  const std::string name = name_of(call.callee, trace);
  const Known* const known = find_known(name);
  if (known == nullptr) return instance(name, call, trace);
  const std::vector<Id>& given = arguments(call.arguments);
  if (given.size() < known->least)
    throw Error(ErrorCode::invalid_schema, "the pickle calls a function with too few arguments",
                {.expected = std::string(name) + " with " + std::to_string(known->least),
                 .found = std::to_string(given.size())});
  return (this->*known->make)(call, given, trace);
}

/// Returns an instance of a class as a struct, if it is nothing but its attributes.
Value StructureMaker::instance(std::string_view name, const Call& call, const Trace* trace) {
  const auto is_fields = [&](Id id) {
    const Object& object = pickle_.objects[id];
    return object.kind == ObjectKind::dict ||
           (object.kind == ObjectKind::value && object.value.is_none());
  };
  const auto is_state = [&](Id id) {
    const Object& object = pickle_.objects[id];
    return object.kind == ObjectKind::dict ||
           (object.kind == ObjectKind::tuple && object.parts.size() == 2 &&
            std::ranges::all_of(object.parts, is_fields));
  };
  if (!call.is_plain || !arguments(call.arguments).empty() || !call.items.empty() ||
      !call.entries.empty() || (call.state != no_object && !is_state(call.state)))
    return opaque(name, call, trace);
  count(name.size(), trace);
  Value result = Value::structure(std::string(class_name(name)));
  if (call.state != no_object) insert_fields(call.state, result, trace);
  return result;
}

Value StructureMaker::opaque(std::string_view name, const Call& call, const Trace* trace) {
  count(name.size(), trace);
  Value given = value(call.arguments, trace);
  if (call.state == no_object && call.items.empty() && call.entries.empty())
    return Value::custom(std::string(name), std::move(given));
  Value payload = Value::dict();
  payload.insert("arguments", std::move(given));
  if (call.state != no_object) payload.insert("state", value(call.state, trace));
  if (!call.items.empty()) payload.insert("items", Value::list(items(call.items, trace)));
  if (!call.entries.empty()) {
    Value entries = Value::dict();
    insert_entries(call.entries, entries, trace);
    payload.insert("entries", std::move(entries));
  }
  return Value::custom(std::string(name), std::move(payload));
}

Value StructureMaker::tensor(const StorageId& storage, ElementType element, Arguments given,
                             const Trace* trace) {
  constexpr std::string_view sizes = "a tuple of numbers that are not negative";
  const auto numbers = [&](Id id) {
    const std::vector<Id>& parts = object_at(pickle_, id, ObjectKind::tuple, sizes).parts;
    if (parts.size() > limits_.rank)
      throw detail::past(detail::Limit::rank, limits_.rank,
                         {.found = std::to_string(parts.size())});
    std::vector<std::uint64_t> result;
    result.reserve(parts.size());
    for (const Id part : parts) result.push_back(count_at(pickle_, part, sizes));
    return result;
  };
  const std::vector<std::uint64_t> shape = numbers(given[2]);
  const std::vector<std::uint64_t> strides = numbers(given[3]);
  if (shape.size() != strides.size())
    fail_form("a tensor has strides for other dimensions than it has", "as many as dimensions",
              trace);
  return tensors_.make(
      storage,
      {element, count_at(pickle_, given[1], "the place of a tensor, which is not negative"), shape,
       strides},
      trace);
}

/// PyTorch conjugates and negates complex numbers when they are used, and saves them as they were.
void StructureMaker::check_metadata(Arguments given, std::size_t index, const Trace* trace) const {
  if (given.size() <= index) return;
  const Object& metadata = pickle_.objects[given[index]];
  if (metadata.kind != ObjectKind::dict) return;
  if (metadata.parts.size() > 2 * most_properties)
    fail_form("a tensor has too many properties", "at most 16", trace);
  for (std::size_t i = 0; i + 1 < metadata.parts.size(); i += 2) {
    const std::string& key = text_at(pickle_, metadata.parts[i], "the name of a property");
    const Value& value = pickle_.objects[metadata.parts[i + 1]].value;
    if ((key == "conj" || key == "neg") && value.kind() == Kind::boolean && value.as_bool())
      throw Error(ErrorCode::invalid_schema,
                  "a tensor is conjugated or negated only when it is used",
                  {.expected = "a tensor whose elements are in the file",
                   .found = "the property '" + key + "'",
                   .advice = "Save what its resolve_conj().resolve_neg() gives"});
  }
}

Value StructureMaker::tensor_of_storage(const Call&, Arguments given, const Trace* trace) {
  check_metadata(given, 6, trace);
  const StorageId storage = storage_id(pickle_, given[0]);
  return tensor(storage, storage.element, given, trace);
}

/// Makes a tensor of a dtype that no type of storage is for.
Value StructureMaker::tensor_of_bytes(const Call&, Arguments given, const Trace* trace) {
  const std::string& name =
      object_at(pickle_, given[6], ObjectKind::global, "a dtype").value.as_string();
  const std::optional<ElementType> element = dtype_named(name);
  if (!element)
    throw Error(ErrorCode::unknown_dtype, "a tensor has a dtype that this library does not have",
                {.found = name, .advice = "Convert it before it is saved"});
  check_metadata(given, 7, trace);
  return tensor(storage_id(pickle_, given[0]), *element, given, trace);
}

/// Makes what `function(*arguments)` gives: (function, class, arguments, ...).
Value StructureMaker::tensor_of_subclass(const Call&, Arguments given, const Trace* trace) {
  const Call inner{.callee = given[0], .arguments = given[2], .items = {}, .entries = {}};
  const detail::Descent level(depth_, limits_.depth, trace);
  return call(inner, trace);
}

Value StructureMaker::first_argument(const Call&, Arguments given, const Trace* trace) {
  return value(given[0], trace);
}

/// Makes a dict of a list of pairs, to which entries are added. Attributes, such as the `_metadata`
/// of a state dict, are left out.
Value StructureMaker::dict(const Call& call, Arguments given, const Trace* trace) {
  Value result = Value::dict();
  if (!given.empty()) {
    constexpr std::string_view form = "a list of pairs";
    for (const Id pair : object_at(pickle_, given[0], ObjectKind::list, form).parts) {
      const Object& object = pickle_.objects[pair];
      if (object.parts.size() != 2) fail_form("a dict is made of something else", form, trace);
      insert_entries(object.parts, result, trace);
    }
  }
  insert_entries(call.entries, result, trace);
  return result;
}

/// Leaves out what makes the defaults.
Value StructureMaker::default_dict(const Call& call, Arguments, const Trace* trace) {
  Value result = Value::dict();
  insert_entries(call.entries, result, trace);
  return result;
}

Value StructureMaker::set(const Call&, Arguments given, const Trace* trace) {
  return Value::set(
      items(object_at(pickle_, given[0], ObjectKind::list, "a list of items").parts, trace));
}

Value StructureMaker::frozen_set(const Call& call, Arguments given, const Trace* trace) {
  Value result = set(call, given, trace);
  result.set_type_name("frozenset");
  return result;
}

/// Protocol 2 has bytes as a text whose characters are they.
Value StructureMaker::bytes(const Call&, Arguments given, const Trace* trace) {
  if (given.empty()) return Value::bytes(std::span<const std::byte>());
  Value found = value(given[0], trace);
  if (found.kind() == Kind::bytes) return found;
  const auto plain = latin_bytes(found.kind() == Kind::string ? found.as_string() : "");
  if (found.kind() != Kind::string || !plain)
    fail_form("bytes are in an unknown form", "a text of characters below 256", trace);
  return Value::bytes(*plain);
}

Value StructureMaker::complex(const Call&, Arguments given, const Trace* trace) {
  const auto part = [&](Id id) {
    const Object& object = pickle_.objects[id];
    if (object.kind != ObjectKind::value || object.value.kind() != Kind::floating)
      fail_form("a complex number is in an unknown form", "two floats", trace);
    return object.value.as_double();
  };
  return std::complex<double>(part(given[0]), part(given[1]));
}

}  // namespace safestructures::inline v0::pytorch
