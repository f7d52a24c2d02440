/// \file
/// The tree in the middle: what codecs make and read, and what formats write and read.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/export.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0 {

struct Entry;
struct DecodeOptions;
struct EncodeOptions;
namespace detail {
struct Box;
struct Text;
struct SequenceBox;
struct DictBox;
struct TensorBox;
struct CustomBox;
}  // namespace detail

/// What a Value holds, by Python's names.
enum class Kind : std::uint8_t {
  none,       ///< nothing
  boolean,    ///< `bool`
  integer,    ///< `int` of any size
  floating,   ///< `float`, an IEEE 754 binary64
  complex,    ///< `complex`, two binary64
  string,     ///< `str`, UTF-8 (lone surrogates as in WTF-8, see docs/format.md)
  bytes,      ///< `bytes`, held as a U8 tensor
  list,       ///< `list`
  tuple,      ///< `tuple`
  set,        ///< `set`
  dict,       ///< `dict`, in insertion order, with keys of any hashable kind
  structure,  ///< a dataclass: named fields in order
  tensor,     ///< an array of numbers
  custom,     ///< a type that plugins know: a type name and a payload
};

/// The name of a kind, such as `"dict"` or `"str"`.
SAFESTRUCTURES_API std::string_view to_string(Kind kind) noexcept;

/// A tree of ordinary values and tensors.
///
/// Copying copies the tree and shares the tensors' bytes. Destruction needs neither stack nor
/// memory, copying and comparing no stack, however deep the tree. Reading one Value from many
/// threads is safe, by members that would let them change a part as well; changing it is not.
/// References to parts are valid as long as the value is not changed; what a member gives of a
/// temporary is moved out of it.
class SAFESTRUCTURES_API Value {
 public:
  /// None.
  /// @{
  Value() noexcept : none_{} {}
  Value(std::nullptr_t) noexcept : none_{} {}
  /// @}

  /// What stands in C++ for the kind: a bool, an integer of up to 64 bits, a float, a complex
  /// number, a str, a tensor. Text must be UTF-8, which is checked when it is saved.
  /// @{
  template <std::same_as<bool> T>  // Not a plain bool parameter: pointers would convert to it.
  Value(T value) noexcept : kind_(Kind::boolean), boolean_(value) {}
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  Value(T value) {
    if constexpr (std::is_signed_v<T>) set_integer(static_cast<std::int64_t>(value));
    else set_unsigned(static_cast<std::uint64_t>(value));
  }
  template <std::floating_point T>
    requires(sizeof(T) <= sizeof(double))
  Value(T value) noexcept : kind_(Kind::floating), floating_(static_cast<double>(value)) {}
  /// Deleted, as these would become complex numbers.
  template <class T>
    requires(std::same_as<T, char> || std::same_as<T, long double>)
  Value(T) = delete;
  Value(std::complex<double> value);
  Value(std::string value);
  Value(std::string_view value) : Value(std::string(value)) {}
  Value(const char* value) : Value(std::string(value)) {}
  Value(Tensor tensor);
  /// @}

  /// Copying copies the tree and shares the tensors' bytes; moving takes the tree over. A part of a
  /// tree may be assigned to the whole.
  /// @{
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  /// @}
  ~Value() {
    if (kind_ >= Kind::string || big_) destroy();
  }

  /// An integer of any size from decimal digits with an optional sign, without leading zeros.
  /// \throws Error `invalid_argument` when the text is no such number.
  [[nodiscard]] static Value integer(std::string_view digits);
  /// A container of these items, in this order. Whether those of a set are unique is not checked.
  /// @{
  [[nodiscard]] static Value list(std::vector<Value> items = {});
  [[nodiscard]] static Value tuple(std::vector<Value> items = {});
  [[nodiscard]] static Value set(std::vector<Value> items = {});
  /// @}
  /// A dict of these, in this order.
  /// \throws Error `duplicate_name` for equal keys, `invalid_argument` for a key that cannot be
  /// one.
  [[nodiscard]] static Value dict(std::vector<Entry> entries);
  /// An empty dict.
  [[nodiscard]] static Value dict();
  /// A dataclass of that class name (may be empty). Keys are strings.
  /// \throws Error as `dict`
  [[nodiscard]] static Value structure(std::string type_name, std::vector<Entry> fields);
  /// The same without fields, which `insert` adds.
  [[nodiscard]] static Value structure(std::string type_name = {});
  /// A copy of `bytes`.
  [[nodiscard]] static Value bytes(std::span<const std::byte> bytes);
  /// Bytes held by a contiguous U8 tensor of rank 1. \throws Error `invalid_argument` otherwise.
  [[nodiscard]] static Value bytes(Tensor tensor);
  /// A value of a type that plugins know.
  [[nodiscard]] static Value custom(std::string type_name, Value payload);
  /// The same value marked as plain JSON: inside a custom payload or an attribute it is written as
  /// itself, without a schema node around it. A tensor is then its name, and can only be the whole
  /// payload. Only the node itself is marked.
  [[nodiscard]] Value plain() &&;
  /// Whether it is marked so.
  [[nodiscard]] bool is_plain() const noexcept { return plain_; }

  /// This library's Value of any C++ object, by its codec; see codec.hpp.
  /// Tensors in it borrow the object's memory when `object` is an lvalue, and own a copy otherwise.
  /// \throws Error what the codec finds wrong, with the path.
  template <class T>
  [[nodiscard]] static Value from(T&& object, const EncodeOptions& options);
  /// The same with the usual options.
  template <class T>
  [[nodiscard]] static Value from(T&& object);
  /// The C++ object that this value describes, by its codec; see codec.hpp.
  /// \throws Error what the codec finds wrong, with the path.
  template <class T>
  [[nodiscard]] T as(const DecodeOptions& options) const;
  /// The same with the usual options.
  template <class T>
  [[nodiscard]] T as() const;

  /// What it holds, and so which of the members below may be asked for.
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// True for None.
  [[nodiscard]] bool is_none() const noexcept { return kind_ == Kind::none; }
  /// True for list, tuple and set.
  [[nodiscard]] bool is_sequence() const noexcept {
    return kind_ == Kind::list || kind_ == Kind::tuple || kind_ == Kind::set;
  }
  /// True for dict and structure.
  [[nodiscard]] bool is_mapping() const noexcept {
    return kind_ == Kind::dict || kind_ == Kind::structure;
  }

  /// What a value of that kind holds. \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] double as_double() const;
  [[nodiscard]] std::complex<double> as_complex() const;
  [[nodiscard]] const std::string& as_string() const&;
  [[nodiscard]] std::string as_string() &&;
  /// @}
  /// The integer when it fits these 64 bits, else nothing (then see `integer_text`).
  /// \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] std::optional<std::int64_t> as_int64() const;
  [[nodiscard]] std::optional<std::uint64_t> as_uint64() const;
  /// @}
  /// The integer's decimal digits, with `-` in front of a negative one.
  /// \throws Error `type_mismatch` when the kind is another.
  [[nodiscard]] std::string integer_text() const;
  /// The tensor of a tensor or bytes value. A copy shares the bytes and keeps their owner alive.
  /// \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] const Tensor& tensor() const&;
  [[nodiscard]] Tensor tensor() &&;
  /// @}
  /// Gives a tensor or bytes value another tensor; its name stays.
  /// \throws Error `type_mismatch` when the kind is another; `invalid_argument` as `bytes`.
  void set_tensor(Tensor tensor);
  /// The name under which the tensor is or will be stored; empty: chosen when it is saved.
  /// Tensor and bytes values of one name are one tensor in the file.
  /// \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] const std::string& tensor_name() const&;
  [[nodiscard]] std::string tensor_name() && { return tensor_name(); }
  /// @}
  /// Says under which name to store the tensor. \throws Error `type_mismatch` as `tensor_name`.
  void set_tensor_name(std::string name);
  /// The payload of a custom value. \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] const Value& payload() const&;
  [[nodiscard]] Value& payload() &;
  [[nodiscard]] Value payload() &&;
  /// @}

  /// The items of a list, tuple or set. \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] const std::vector<Value>& items() const&;
  [[nodiscard]] std::vector<Value>& items() &;
  [[nodiscard]] std::vector<Value> items() &&;
  /// @}
  /// The entries of a dict, or the fields of a structure, in order.
  /// \throws Error `type_mismatch` when the kind is another.
  /// @{
  [[nodiscard]] const std::vector<Entry>& entries() const&;
  [[nodiscard]] std::vector<Entry> entries() &&;
  /// @}
  /// The value of a dict entry or structure field, for changing it in place.
  /// \throws Error `type_mismatch` when the kind is another, `not_found` for an index too large.
  [[nodiscard]] Value& entry_value(std::size_t index) &;
  /// Adds an item at the end of a list, tuple or set.
  /// \throws Error `type_mismatch` when the kind is another.
  void push_back(Value item);
  /// Makes room for `count` items, entries or fields in all.
  /// \throws Error `type_mismatch` when the kind is another.
  void reserve(std::size_t count);
  /// Adds an entry or field at the end. \throws Error `duplicate_name`, `invalid_argument` as
  /// `dict`.
  Value& insert(Value key, Value value);
  /// Adds the entry, or gives the existing one this value.
  Value& insert_or_assign(Value key, Value value);
  /// Removes the entry or field with that key; returns its value, or nothing if there is none.
  /// Takes time in proportion to `size()`.
  std::optional<Value> erase(const Value& key);
  /// Items, entries or fields; \throws Error `type_mismatch` for other kinds.
  [[nodiscard]] std::size_t size() const;

  /// The value of the entry with that key, or null. Constant time. Null for other kinds too.
  /// @{
  [[nodiscard]] const Value* find(std::string_view key) const& noexcept;
  [[nodiscard]] Value* find(std::string_view key) & noexcept;
  const Value* find(std::string_view key) && = delete;
  /// @}
  /// The same for a key of any kind.
  /// @{
  [[nodiscard]] const Value* find_key(const Value& key) const&;
  [[nodiscard]] Value* find_key(const Value& key) &;
  const Value* find_key(const Value& key) && = delete;
  /// @}

  /// The value of the entry or field with that name, or the item at that index.
  /// \throws Error `not_found` with the names that are there; `type_mismatch` when the kind has
  /// none.
  /// @{
  [[nodiscard]] const Value& operator[](std::string_view key) const&;
  [[nodiscard]] Value& operator[](std::string_view key) &;
  [[nodiscard]] Value operator[](std::string_view key) &&;
  [[nodiscard]] const Value& operator[](std::size_t index) const&;
  [[nodiscard]] Value& operator[](std::size_t index) &;
  [[nodiscard]] Value operator[](std::size_t index) &&;
  // Without these, a literal 0 would be a null string and a plain int ambiguous.
  template <std::integral I>
  [[nodiscard]] const Value& operator[](I index) const& {
    return (*this)[checked(index)];
  }
  template <std::integral I>
  [[nodiscard]] Value& operator[](I index) & {
    return (*this)[checked(index)];
  }
  template <std::integral I>
  [[nodiscard]] Value operator[](I index) && {
    return std::move(*this)[checked(index)];
  }
  [[nodiscard]] const Value& operator[](const char* key) const& {
    return (*this)[std::string_view(key)];
  }
  [[nodiscard]] Value& operator[](const char* key) & { return (*this)[std::string_view(key)]; }
  [[nodiscard]] Value operator[](const char* key) && {
    return std::move(*this)[std::string_view(key)];
  }
  /// @}

  /// The value at a path: `/layers/3/weight`. A step is a field, a dict key (a string key first,
  /// else one whose `str()` in Python is the step), or an index from 0; a custom value is stepped
  /// through.
  /// \throws Error `not_found` with the longest part that exists and what is there instead.
  /// @{
  [[nodiscard]] const Value& at(const Path& path) const&;
  [[nodiscard]] const Value& at(std::string_view path) const&;
  [[nodiscard]] Value& at(std::string_view path) &;
  [[nodiscard]] Value at(std::string_view path) &&;
  /// @}

  /// The class of a structure or custom value; for other containers and tensors the type name in
  /// the file where it is not the usual one (`torch.Tensor`, `frozenset`). Empty when there is
  /// none.
  /// @{
  [[nodiscard]] const std::string& type_name() const& noexcept;
  [[nodiscard]] std::string type_name() && { return type_name(); }
  /// @}
  /// Gives a name; empty: none. \throws Error `type_mismatch` on scalars, which have none.
  void set_type_name(std::string name);

  /// Extension fields beside the value, such as a class version: plain JSON values by name, in
  /// order; tensors and custom values among them are nodes. Python's package ignores them on
  /// containers and tensors and refuses them on scalars.
  /// @{
  [[nodiscard]] const std::vector<Entry>& attributes() const& noexcept;
  [[nodiscard]] std::vector<Entry> attributes() &&;
  /// @}
  /// The extension field of that name, or null. Valid as long as the value is not changed.
  [[nodiscard]] const Value* attribute(std::string_view name) const& noexcept;
  const Value* attribute(std::string_view name) && = delete;
  /// Adds an extension field at the end, or gives the existing one this value.
  /// \throws Error `type_mismatch` on scalars, `invalid_argument` for the schema's own names
  /// (`data_type`, `value`, but for custom values `keys`, for structures `class`).
  void set_attribute(std::string_view name, Value value);
  /// Removes the extension field; false when there is none.
  bool erase_attribute(std::string_view name) noexcept;

  /// What labels the entry of a dict that has this value as its key: Python's `str(key)`. A key
  /// that was loaded keeps the label of its file, since only Python knows the `str` of its classes.
  [[nodiscard]] std::string key_label() const;
  /// Gives a key another label. \throws Error `type_mismatch` on scalars, whose label follows from
  /// their value.
  void set_key_label(std::string label);

  /// Copies the bytes of every borrowed tensor in the tree, so that it depends on nobody's memory.
  void own();

  /// Equal trees: same kinds, names, order and tensor bytes. 1, 1.0 and true differ; NaN equals
  /// NaN; 0.0 and -0.0 differ. Sets compare without order. Attributes and tensor names do not
  /// count. Takes time in proportion to the trees (n log n where there are sets).
  friend SAFESTRUCTURES_API bool operator==(const Value& a, const Value& b);

 private:
  friend struct detail::Box;
  void set_integer(std::int64_t value) noexcept {
    kind_ = Kind::integer;
    integer_ = value;
  }
  void set_unsigned(std::uint64_t value);
  static std::size_t checked(std::integral auto index) {
    if (std::cmp_less(index, 0)) negative_index(static_cast<std::int64_t>(index));
    return static_cast<std::size_t>(index);
  }
  [[noreturn]] static void negative_index(std::int64_t index);
  void destroy() noexcept;

  Kind kind_ = Kind::none;
  bool plain_ = false;
  bool big_ = false;  // An integer beyond 64 signed bits, as digits in box_.
  union {
    char none_;
    bool boolean_;
    std::int64_t integer_;
    double floating_;
    detail::Text* text_;
    detail::Box* box_;
  };
};

/// A key and its value in a dict, or a field's name and value in a structure.
struct Entry {
  Value key;    ///< Of a field: its name, a str.
  Value value;  ///< What it leads to.
};

/// How `print` shows a tree.
struct PrintOptions {
  std::size_t items = 12;    ///< Items of one container that are shown; the rest is counted.
  std::size_t text = 60;     ///< Bytes of one string that are shown.
  std::size_t elements = 6;  ///< Elements of one tensor that are shown; 0 for none.
  std::size_t depth = 100;   ///< Levels that are shown.
};

/// Prints a tree with a line for each node: name, type, dtype, shape, value.
SAFESTRUCTURES_API void print(std::ostream& out, const Value& value,
                              const PrintOptions& options = {});
/// The same as text.
SAFESTRUCTURES_API std::string to_string(const Value& value, const PrintOptions& options = {});
/// `print` with the usual options.
SAFESTRUCTURES_API std::ostream& operator<<(std::ostream& out, const Value& value);

}  // namespace safestructures::inline v0
