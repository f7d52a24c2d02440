/// \file
/// The tree between codecs and formats: codecs make and read it, formats write and read it.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
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

/// The kinds of Value, by their names in Python.
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
  custom,     ///< a type known to plugins: a type name and a payload
};

/// Returns the name of a kind, such as `"dict"` or `"str"`.
SAFESTRUCTURES_API std::string_view to_string(Kind kind) noexcept;

/// A tree of ordinary values and tensors.
///
/// Copying copies the tree and shares the tensors' bytes. However deep the tree, destruction needs
/// neither stack nor memory, and copying and comparing need no stack. Several threads may read one
/// Value at once, even through non-const members; changing it is not thread-safe. References to
/// parts are valid as long as the value is not changed. Members called on a temporary return a
/// result of their own, or are deleted.
class SAFESTRUCTURES_API Value {
 public:
  /// None.
  /// @{
  Value() noexcept : none_{} {}
  Value(std::nullptr_t) noexcept : none_{} {}
  /// @}

  /// Makes a bool, an integer of up to 64 bits, a float, a complex number, a str or a tensor. Text
  /// must be UTF-8, which is checked when it is saved.
  /// @{
  template <std::same_as<bool> T>  // Not a plain bool parameter, to which pointers would convert.
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
  /// Deleted because these would convert to complex numbers.
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
  /// tree may be assigned to the whole tree.
  /// @{
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  /// @}
  ~Value() {
    if (kind_ >= Kind::string || big_) destroy();
  }

  /// Makes an integer of any size from decimal digits with an optional sign, without leading zeros.
  /// \throws Error `invalid_argument` if the text is not such a number
  [[nodiscard]] static Value integer(std::string_view digits);
  /// Makes a container of these items, in this order. Does not check that those of a set are
  /// unique.
  /// @{
  [[nodiscard]] static Value list(std::vector<Value> items = {});
  [[nodiscard]] static Value tuple(std::vector<Value> items = {});
  [[nodiscard]] static Value set(std::vector<Value> items = {});
  /// @}
  /// Makes a dict of these entries, in this order.
  /// \throws Error `duplicate_name` for equal keys, `invalid_argument` for what cannot be a key
  [[nodiscard]] static Value dict(std::vector<Entry> entries);
  /// Makes an empty dict.
  [[nodiscard]] static Value dict();
  /// Makes a dataclass with that class name (may be empty). Keys are strings.
  /// \throws Error as `dict`
  [[nodiscard]] static Value structure(std::string type_name, std::vector<Entry> fields);
  /// The same without fields; add them by `insert`.
  [[nodiscard]] static Value structure(std::string type_name = {});
  /// Makes a bytes value with a copy of `bytes`.
  [[nodiscard]] static Value bytes(std::span<const std::byte> bytes);
  /// Makes a bytes value from a contiguous U8 tensor of rank 1. \throws Error `invalid_argument`
  [[nodiscard]] static Value bytes(Tensor tensor);
  /// Makes a value of a type known to plugins.
  [[nodiscard]] static Value custom(std::string type_name, Value payload);
  /// Returns the same value marked as plain JSON: inside a custom payload or an attribute it is
  /// written as it is, without a schema node around it. A plain tensor is written as its name, and
  /// must be the whole payload. Only the node itself is marked, not its parts.
  [[nodiscard]] Value plain() &&;
  /// Whether the value is marked as plain JSON.
  [[nodiscard]] bool is_plain() const noexcept { return plain_; }

  /// Returns the Value of any C++ object, made by its codec; see codec.hpp. Its tensors borrow the
  /// object's memory if `object` is an lvalue, otherwise they own a copy.
  /// \throws Error what the codec reports, with the path
  template <class T>
  [[nodiscard]] static Value from(T&& object, const EncodeOptions& options);
  /// The same with default options.
  template <class T>
  [[nodiscard]] static Value from(T&& object);
  /// Returns the C++ object that this value describes, made by its codec; see codec.hpp.
  /// \throws Error what the codec reports, with the path
  template <class T>
  [[nodiscard]] T as(const DecodeOptions& options) const;
  /// The same with default options.
  template <class T>
  [[nodiscard]] T as() const;

  /// The kind, which determines which of the members below may be called.
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// Whether the value is a tensor or bytes, which `tensor` returns as one.
  [[nodiscard]] bool has_tensor() const noexcept {
    return kind_ == Kind::tensor || kind_ == Kind::bytes;
  }
  /// Whether the value is None.
  [[nodiscard]] bool is_none() const noexcept { return kind_ == Kind::none; }
  /// Whether the value is a list, tuple or set.
  [[nodiscard]] bool is_sequence() const noexcept {
    return kind_ == Kind::list || kind_ == Kind::tuple || kind_ == Kind::set;
  }
  /// Whether the value is a dict or structure.
  [[nodiscard]] bool is_mapping() const noexcept {
    return kind_ == Kind::dict || kind_ == Kind::structure;
  }

  /// The content of a value of that kind. \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] double as_double() const;
  [[nodiscard]] std::complex<double> as_complex() const;
  [[nodiscard]] const std::string& as_string() const&;
  [[nodiscard]] std::string as_string() &&;
  /// @}
  /// Returns the integer if it fits these 64 bits, otherwise nothing (see `integer_text`).
  /// \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] std::optional<std::int64_t> as_int64() const;
  [[nodiscard]] std::optional<std::uint64_t> as_uint64() const;
  /// @}
  /// Returns the integer's decimal digits, after a `-` if it is negative.
  /// \throws Error `type_mismatch` for other kinds
  [[nodiscard]] std::string integer_text() const;
  /// The tensor of a tensor or bytes value. A copy shares the bytes and keeps their owner alive.
  /// \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] const Tensor& tensor() const&;
  [[nodiscard]] Tensor tensor() &&;
  /// @}
  /// Replaces the tensor of a tensor or bytes value; its name stays.
  /// \throws Error `type_mismatch` for other kinds; `invalid_argument` as `bytes`
  void set_tensor(Tensor tensor);
  /// The name under which the tensor is or will be stored; empty if it is to be chosen when saving.
  /// Tensor and bytes values with the same name are one tensor in the file. Without a schema, the
  /// place in the structure decides on the name instead: see `SaveOptions::schema`.
  /// \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] const std::string& tensor_name() const&;
  [[nodiscard]] std::string tensor_name() && { return tensor_name(); }
  /// @}
  /// Sets the name under which to store the tensor. \throws Error `type_mismatch` as `tensor_name`
  void set_tensor_name(std::string name);
  /// The payload of a custom value. \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] const Value& payload() const&;
  [[nodiscard]] Value& payload() &;
  [[nodiscard]] Value payload() &&;
  /// @}

  /// The items of a list, tuple or set. \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] const std::vector<Value>& items() const&;
  [[nodiscard]] std::vector<Value>& items() &;
  [[nodiscard]] std::vector<Value> items() &&;
  /// @}
  /// The entries of a dict or the fields of a structure, in order.
  /// \throws Error `type_mismatch` for other kinds
  /// @{
  [[nodiscard]] const std::vector<Entry>& entries() const&;
  [[nodiscard]] std::vector<Entry> entries() &&;
  /// @}
  /// Returns the value of a dict entry or structure field, to be changed in place.
  /// \throws Error `type_mismatch` for other kinds, `not_found` for an index that is too large
  [[nodiscard]] Value& entry_value(std::size_t index) &;
  /// Adds an item at the end of a list, tuple or set.
  /// \throws Error `type_mismatch` for other kinds
  void push_back(Value item);
  /// Reserves room for `count` items, entries or fields in total.
  /// \throws Error `type_mismatch` for other kinds
  void reserve(std::size_t count);
  /// Adds an entry or field at the end and returns its value.
  /// \throws Error `duplicate_name`, `invalid_argument` as `dict`
  Value& insert(Value key, Value value);
  /// Adds the entry, or assigns to the existing one, and returns its value.
  Value& insert_or_assign(Value key, Value value);
  /// Removes the entry or field with that key and returns its value, or nothing if there is none.
  /// Takes time proportional to `size()`.
  std::optional<Value> erase(const Value& key);
  /// The number of items, entries or fields. \throws Error `type_mismatch` for other kinds
  [[nodiscard]] std::size_t size() const;

  /// Returns the value of the entry or field with that key, or null (for other kinds too). Takes
  /// constant time.
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

  /// Returns the value of the entry or field with that name, or the item at that index.
  /// \throws Error `not_found` with the names that exist; `type_mismatch` for kinds without such
  /// parts
  /// @{
  [[nodiscard]] const Value& operator[](std::string_view key) const&;
  [[nodiscard]] Value& operator[](std::string_view key) &;
  [[nodiscard]] Value operator[](std::string_view key) &&;
  [[nodiscard]] const Value& operator[](std::size_t index) const&;
  [[nodiscard]] Value& operator[](std::size_t index) &;
  [[nodiscard]] Value operator[](std::size_t index) &&;
  // Without these, a literal 0 would be a null string and a plain int would be ambiguous.
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

  /// Returns the value at a path such as `/layers/3/weight`. A step is a field, a dict key (a
  /// string key first, otherwise one whose `str()` in Python is the step), or an index from 0.
  /// Custom values are stepped through.
  /// \throws Error `not_found` with the longest part that exists and what is there instead
  /// @{
  [[nodiscard]] const Value& at(const Path& path) const&;
  [[nodiscard]] const Value& at(std::string_view path) const&;
  [[nodiscard]] Value& at(std::string_view path) &;
  [[nodiscard]] Value at(std::string_view path) &&;
  /// @}

  /// The class of a structure or custom value; for other containers and tensors, the type name in
  /// the file if it is not the usual one (`torch.Tensor`, `frozenset`). Empty if there is none.
  /// @{
  [[nodiscard]] const std::string& type_name() const& noexcept;
  [[nodiscard]] std::string type_name() && { return type_name(); }
  /// @}
  /// Sets the type name; empty for none. \throws Error `type_mismatch` on scalars, which have none
  void set_type_name(std::string name);

  /// Extension fields of the value, such as a class version: plain JSON values by name, in order,
  /// except that tensors and custom values among them are nodes. Python's package ignores them on
  /// containers and tensors and rejects them on scalars.
  /// @{
  [[nodiscard]] const std::vector<Entry>& attributes() const& noexcept;
  [[nodiscard]] std::vector<Entry> attributes() &&;
  /// @}
  /// Returns the extension field with that name, or null. Valid as long as the value is not
  /// changed.
  [[nodiscard]] const Value* attribute(std::string_view name) const& noexcept;
  const Value* attribute(std::string_view name) && = delete;
  /// Adds an extension field at the end, or assigns to the existing one.
  /// \throws Error `type_mismatch` on scalars, `invalid_argument` for the schema's own names
  /// (`data_type`, `value`; `keys` except on custom values; `class` on structures)
  void set_attribute(std::string_view name, Value value);
  /// Removes the extension field; returns false if there is none.
  bool erase_attribute(std::string_view name) noexcept;

  /// Returns the label of a dict entry whose key is this value: Python's `str(key)`. A key that was
  /// loaded keeps the label from its file, since only Python knows the `str` of its classes.
  [[nodiscard]] std::string key_label() const;
  /// Sets the label of a key. \throws Error `type_mismatch` on scalars, whose label follows from
  /// their value
  void set_key_label(std::string label);

  /// Copies the bytes of every borrowed tensor in the tree, so that it depends on no outside
  /// memory.
  void own();

  /// Whether two trees are equal: same kinds, names, order and tensor bytes. 1, 1.0 and true
  /// differ; NaN equals NaN; 0.0 and -0.0 differ. Sets compare without order. Attributes and tensor
  /// names are ignored. Takes time proportional to the trees' size (n log n if there are sets).
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
  bool big_ = false;  // Whether it is an integer beyond 64 signed bits, as digits in box_.
  union {
    char none_;
    bool boolean_;
    std::int64_t integer_;
    double floating_;
    detail::Text* text_;
    detail::Box* box_;
  };
};

/// A key and its value in a dict, or the name and value of a field in a structure.
struct Entry {
  Value key;    ///< The key; for a field, its name as a str.
  Value value;  ///< The value of the entry or field.
};

/// Limits on what `print` shows of a tree.
struct PrintOptions {
  std::size_t items = 12;    ///< Items shown per container; the rest is only counted.
  std::size_t text = 60;     ///< Bytes shown per string.
  std::size_t elements = 6;  ///< Elements shown per tensor; 0 for none.
  std::size_t depth = 100;   ///< Levels shown.
};

/// Prints a tree, one line per node: name, type, dtype, shape, value.
SAFESTRUCTURES_API void print(std::ostream& out, const Value& value,
                              const PrintOptions& options = {});
/// Returns the same as text.
SAFESTRUCTURES_API std::string to_string(const Value& value, const PrintOptions& options = {});
/// Calls `print` with default options.
SAFESTRUCTURES_API std::ostream& operator<<(std::ostream& out, const Value& value);

}  // namespace safestructures::inline v0
