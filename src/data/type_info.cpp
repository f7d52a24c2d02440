#include <safestructures/data/type_info.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace safestructures::inline v0 {
namespace {

/// Returns the kinds of a type whose codec does not specify them.
KindSet usual_kinds(TypeKind kind) {
  switch (kind) {
    case TypeKind::none: return Kind::none;
    case TypeKind::boolean: return Kind::boolean;
    case TypeKind::integer: return Kind::integer;
    case TypeKind::floating: return Kind::floating;
    case TypeKind::complex: return Kind::complex;
    case TypeKind::string: return Kind::string;
    case TypeKind::bytes: return Kind::bytes;
    case TypeKind::list: return Kind::list;
    case TypeKind::tuple: return Kind::tuple;
    case TypeKind::set: return Kind::set;
    case TypeKind::dict: return Kind::dict;
    case TypeKind::structure: return Kind::structure;
    case TypeKind::tensor: return Kind::tensor;
    case TypeKind::custom: return Kind::custom;
    case TypeKind::enumeration: return KindSet(Kind::string) | Kind::integer;
    default: return KindSet::any();
  }
}

/// The descriptions being built. Recursive: a user's `describe_type` may request another type's
/// description.
struct Building {
  std::recursive_mutex mutex;
  std::vector<detail::TypeNode*> nodes;  // Reserved since the outermost call.
  std::size_t described = 0;
  unsigned depth = 0;
};

Building& building() {
  // Never destroyed: destructors of static objects may ask for descriptions.
  static Building& instance = *new Building;
  return instance;
}

std::atomic_ref<const TypeInfo*> ready(detail::TypeNode& node) {
  return std::atomic_ref(node.ready);
}

const TypeInfo* reserve(detail::TypeNode& node) {
  if (const TypeInfo* info = ready(node).load(std::memory_order_acquire)) return info;
  if (node.building == nullptr) {
    Building& all = building();
    auto info = std::make_unique<TypeInfo>();
    all.nodes.push_back(&node);
    node.building = info.release();
  }
  return node.building;
}

/// Publishes what the outermost call built, or discards it if that failed.
class Publication {
 public:
  explicit Publication(Building& all) : all_(all) { ++all_.depth; }
  ~Publication() {
    if (--all_.depth > 0) return;
    for (detail::TypeNode* node : all_.nodes) {
      if (is_complete_) ready(*node).store(node->building, std::memory_order_release);
      else delete node->building;
      node->building = nullptr;
    }
    all_.nodes.clear();
    all_.described = 0;
  }
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  void complete() { is_complete_ = true; }

 private:
  Building& all_;
  bool is_complete_ = false;
};

}  // namespace

namespace detail {

const TypeInfo& build_type_info(TypeNode& node) {
  if (const TypeInfo* info = ready(node).load(std::memory_order_acquire)) return *info;
  Building& all = building();
  const std::lock_guard lock(all.mutex);
  Publication publication(all);
  const TypeInfo* info = reserve(node);
  while (all.described < all.nodes.size()) {
    TypeNode& next = *all.nodes[all.described++];
    TypeDescriber type(*next.building);
    next.describe(type);
  }
  publication.complete();
  return *info;
}

}  // namespace detail

void TypeDescriber::start(TypeKind kind) {
  info_ = TypeInfo();
  info_.kind = kind;
  info_.kinds = usual_kinds(kind);
}

const TypeInfo* TypeDescriber::refer(Node& node) {
  // The lock is already held if a codec describes its type, but not if a test does.
  const std::lock_guard lock(building().mutex);
  return reserve(node);
}

void TypeDescriber::any(KindSet kinds) {
  start(TypeKind::any);
  info_.kinds = kinds;
}

void TypeDescriber::none() { start(TypeKind::none); }

void TypeDescriber::boolean() {
  start(TypeKind::boolean);
  info_.dtype = DType::BOOL;
  info_.bits = 8;
}

void TypeDescriber::integer(DType dtype) {
  start(TypeKind::integer);
  info_.dtype = dtype;
  info_.bits = bit_width(dtype);
  info_.is_signed = is_signed_integer(dtype);
}

void TypeDescriber::floating(DType dtype) {
  start(TypeKind::floating);
  info_.dtype = dtype;
  info_.bits = bit_width(dtype);
}

void TypeDescriber::complex(DType part) {
  start(TypeKind::complex);
  if (part == DType::F32) info_.dtype = DType::C64;
  info_.bits = bit_width(part);
}

void TypeDescriber::string(Size size) {
  start(TypeKind::string);
  info_.size = size;
}

void TypeDescriber::bytes(Size size) {
  start(TypeKind::bytes);
  info_.size = size;
}

void TypeDescriber::tensor(std::optional<DType> dtype) {
  start(TypeKind::tensor);
  info_.dtype = dtype;
}

void TypeDescriber::tensor(std::optional<DType> dtype, std::span<const Extent> shape,
                           bool is_complex) {
  tensor(dtype);
  info_.shape.emplace(shape.begin(), shape.end());
  info_.is_complex = is_complex;
}

void TypeDescriber::of(Node& item, Size size) {
  info_.item = refer(item);
  info_.size = size;
}

void TypeDescriber::list(Node& item, Size size) {
  start(TypeKind::list);
  info_.item = refer(item);
  info_.size = size;
}

void TypeDescriber::set(Node& item) {
  start(TypeKind::set);
  info_.item = refer(item);
}

void TypeDescriber::dict(Node& key, Node& item) {
  start(TypeKind::dict);
  info_.key = refer(key);
  info_.item = refer(item);
}

void TypeDescriber::tuple(std::span<Node* const> items) {
  start(TypeKind::tuple);
  for (Node* item : items) info_.items.push_back(refer(*item));
}

void TypeDescriber::variant(std::span<Node* const> alternatives) {
  start(TypeKind::variant);
  for (Node* alternative : alternatives) info_.items.push_back(refer(*alternative));
}

void TypeDescriber::optional(Node& item) {
  start(TypeKind::optional);
  info_.item = refer(item);
}

void TypeDescriber::pointer(Node& item, PointerTraits traits) {
  start(TypeKind::pointer);
  info_.item = refer(item);
  info_.is_shared = traits.is_shared;
  info_.is_polymorphic = traits.is_polymorphic;
}

void TypeDescriber::structure(std::string_view name, unsigned version) {
  start(TypeKind::structure);
  info_.name = name;
  info_.version = version;
}

void TypeDescriber::record(Node& key) {
  start(TypeKind::dict);
  info_.key = refer(key);
}

void TypeDescriber::field(std::string_view name, Node& type, const FieldTraits& traits) {
  TypeField field;
  field.name = name;
  field.cpp_name = traits.cpp_name.empty() ? name : traits.cpp_name;
  field.aliases.assign(traits.aliases.begin(), traits.aliases.end());
  field.is_optional = traits.is_optional;
  field.has_default = traits.has_default;
  field.type = refer(type);
  info_.fields.push_back(std::move(field));
}

void TypeDescriber::enumeration(std::string_view name, Node& underlying) {
  start(TypeKind::enumeration);
  info_.name = name;
  info_.item = refer(underlying);
}

void TypeDescriber::enumerator(std::string_view name, std::int64_t value) {
  info_.enumerators.push_back({std::string(name), value});
}

void TypeDescriber::custom(std::string_view name, Node& payload) {
  start(TypeKind::custom);
  info_.name = name;
  info_.item = refer(payload);
}

void TypeDescriber::mark(std::string_view name) { info_.mark = name; }
void TypeDescriber::kinds(KindSet kinds) { info_.kinds = kinds; }

}  // namespace safestructures::inline v0
