// Writes structures of every kind for Python to load, and what each must load as, in the notation
// of notation.py: `structures DIR`.

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;
using ss::Kind;
using ss::Value;

namespace {

std::string hex(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

std::string bits(double number) {
  auto rest = std::bit_cast<std::uint64_t>(number);
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest /= 16)
    *digit = "0123456789abcdef"[rest % 16];
  return "\"0x" + text + '"';
}

std::string text_node(const std::string& text) {
  return R"({"kind": "str", "utf8_hex": ")" + hex(text.data(), text.size()) + "\"}";
}

std::string in_brackets(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + item(i);
  return text + "]";
}

/// The node of a value as it is stored. Field names are plain ASCII.
std::string node(const Value& value) {
  const std::string kind(to_string(value.kind()));
  switch (value.kind()) {
    case Kind::none: return R"({"kind": "none"})";
    case Kind::boolean:
      return std::string(R"({"kind": "bool", "value": )") + (value.as_bool() ? "true}" : "false}");
    case Kind::integer: return R"({"kind": "int", "text": ")" + value.integer_text() + "\"}";
    case Kind::floating: return R"({"kind": "float", "bits": )" + bits(value.as_double()) + "}";
    case Kind::complex:
      return R"({"kind": "complex", "re_bits": )" + bits(value.as_complex().real()) +
             R"(, "im_bits": )" + bits(value.as_complex().imag()) + "}";
    case Kind::string: return text_node(value.as_string());
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
      return R"({"kind": ")" + kind + R"(", "items": )" +
             in_brackets(value.size(), [&](std::size_t i) { return node(value[i]); }) + "}";
    case Kind::dict:
      return R"({"kind": "dict", "entries": )" +
             in_brackets(value.size(),
                         [&](std::size_t i) {
                           const ss::Entry& entry = value.entries()[i];
                           return "[" + node(entry.key) + ", " + node(entry.value) + "]";
                         }) +
             "}";
    case Kind::structure:
      return R"({"kind": "struct", "type": "SafestructuresDataclass", "fields": )" +
             in_brackets(value.size(),
                         [&](std::size_t i) {
                           const ss::Entry& entry = value.entries()[i];
                           return "[\"" + entry.key.as_string() + "\", " + node(entry.value) + "]";
                         }) +
             "}";
    case Kind::tensor: {
      const ss::Tensor tensor = value.tensor().contiguous();
      const std::span<const std::byte> bytes = tensor.bytes();
      return R"({"kind": "tensor", "dtype": ")" + std::string(to_string(tensor.dtype())) +
             R"(", "shape": )" + to_string(tensor.shape()) + R"(, "bytes_hex": ")" +
             hex(bytes.data(), bytes.size()) + "\"}";
    }
    case Kind::bytes: {
      const ss::Tensor& tensor = value.tensor();
      return R"({"kind": "bytes", "hex": ")" + hex(tensor.bytes().data(), tensor.bytes().size()) +
             "\"}";
    }
    case Kind::custom: break;
  }
  return R"({"kind": "custom", "type": ")" + value.type_name() + "\"}";
}

class Writer {
 public:
  explicit Writer(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void save(const std::string& name, const Value& value, const std::string& more = {},
            const ss::SaveOptions& options = {.precision = ss::Precision::preserve}) const {
    ss::save_file(value, folder_ / (name + ".safetensors"), options);
    std::ofstream(folder_ / (name + ".json"), std::ios::binary)
        << "{\"value\": " << node(value) << more << "}\n";
  }

 private:
  std::filesystem::path folder_;
};

/// `count` elements of all kinds of bits; flags only for BOOL.
ss::Tensor tensor_of(ss::DType dtype, ss::Shape shape) {
  ss::Tensor tensor = ss::Tensor::allocate(dtype, std::move(shape));
  unsigned state = 1;
  for (std::byte& byte : tensor.mutable_bytes()) {
    state = state * 1103515245U + 12345U;
    byte = dtype == ss::DType::BOOL ? static_cast<std::byte>(state >> 16U & 1U)
                                    : static_cast<std::byte>(state >> 16U);
  }
  return tensor;
}

void tensors(const Writer& out) {
  for (const ss::DType dtype :
       {ss::DType::BOOL, ss::DType::U8, ss::DType::I8, ss::DType::F8_E5M2, ss::DType::F8_E4M3,
        ss::DType::F8_E8M0, ss::DType::F8_E4M3FNUZ, ss::DType::F8_E5M2FNUZ, ss::DType::I16,
        ss::DType::U16, ss::DType::F16, ss::DType::BF16, ss::DType::I32, ss::DType::U32,
        ss::DType::F32, ss::DType::C64, ss::DType::F64, ss::DType::I64, ss::DType::U64}) {
    const Value value =
        Value::list({Value(tensor_of(dtype, {256})), Value(tensor_of(dtype, {})),
                     Value(tensor_of(dtype, {2, 0})), Value(tensor_of(dtype, {1, 2, 3, 4}))});
    out.save("tensors_of_" + std::string(to_string(dtype)), value);
  }
  const std::vector<float> memory = {1, 2, 3, 4, 5, 6};
  const ss::Tensor rows = ss::Tensor::of(std::span<const float>(memory), {2, 3});
  const std::vector<std::size_t> order = {1, 0};
  Value shared(rows);
  shared.set_tensor_name("shared");
  out.save("tensors_shared_and_strided",
           Value::list({shared, Value::dict({{"again", shared}}), Value(rows.permute(order))}));
  out.save("tensors_stored_as_f32",
           Value::list({Value(rows), Value(tensor_of(ss::DType::I64, {3}))}),
           R"(, "metadata": {"run": "42", "\u00e9": ""})",
           {.metadata = {{"run", "42"}, {"\xc3\xa9", ""}}});
  out.save("tensors_named_by_numbers", Value::dict({{"a", Value(rows)}, {"b", Value(rows)}}), {},
           {.tensor_names = ss::TensorNames::numbers});
}

void scalars(const Writer& out) {
  Value integers = Value::list();
  for (const std::size_t digits : {1U, 18U, 19U, 20U, 39U, 309U, 4300U})
    for (const char* sign : {"", "-"})
      integers.push_back(Value::integer(sign + std::string(digits, '9')));
  integers.push_back(std::numeric_limits<std::int64_t>::min());
  integers.push_back(std::numeric_limits<std::uint64_t>::max());
  out.save("integers", integers);
  Value floats = Value::list();
  Value complex = Value::list();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double number : {0.0, 1.0, 0.1, 1e-4, 1e-5, 1e15, 1e16, 1e22, 5e-324, 1.5e300,
                              std::numeric_limits<double>::max(), infinity, std::nan("")})
    for (const double signed_number : {number, -number}) {
      floats.push_back(signed_number);
      complex.push_back(std::complex<double>(signed_number, 1.5));
      complex.push_back(std::complex<double>(0.0, signed_number));
      complex.push_back(std::complex<double>(-0.0, signed_number));
    }
  std::uint64_t state = 7;
  while (floats.size() < 2000) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double number = std::bit_cast<double>(state);
    if (std::isfinite(number)) floats.push_back(number);
  }
  out.save("floats", floats);
  out.save("complex", complex);
  out.save("texts", Value::list({"", "plain", "na\xc3\xafve", "\xe6\x97\xa5\xe6\x9c\xac",
                                 "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", "\"\\/\b\f\n\r\t\x7f",
                                 std::string_view("a\0b", 3), "\xed\xa0\x80 alone", "\xef\xbf\xbf",
                                 std::string(10000, 'x')}));
  out.save("truth_and_nothing", Value::tuple({true, false, Value()}));
  for (const Value& root : {Value(), Value(true), Value(1), Value("x"), Value::list(),
                            Value::tuple(), Value::set(), Value::dict(), Value::structure("Empty")})
    out.save("root_" + std::string(to_string(root.kind())), root);
}

void containers(const Writer& out) {
  out.save("dict_keys", Value::dict({{"", 1},
                                     {"1", 2},
                                     {7, 3},
                                     {"7", 4},
                                     {-3, 5},
                                     {Value::integer("1000000000000000000000000000000"), 6},
                                     {1.5, 7},
                                     {"1.5", 8},
                                     {1e-5, 9},
                                     {std::numeric_limits<double>::infinity(), 10},
                                     {Value(), 11},
                                     {"None", 12},
                                     {true, 13},
                                     {"True", 14},
                                     {std::complex<double>(0, 1), 15},
                                     {Value::tuple(), 16},
                                     {Value::tuple({2, Value::tuple({"x", Value()})}), 17},
                                     {"data_type", 18},
                                     {"with.dot/slash", 19},
                                     {"\xc3\xa9", 20}}));
  Value list = Value::list();
  Value dict = Value::dict();
  for (int i = 0; i < 10000; ++i) {
    list.push_back(i % 3 == 0 ? Value(i) : i % 3 == 1 ? Value(i / 2.0) : Value(std::to_string(i)));
    dict.insert(i % 2 == 0 ? Value(i) : Value("k" + std::to_string(i)), i % 5 == 0);
  }
  out.save("list_of_10000", list);
  out.save("dict_of_10000", dict);
  Value deep(1);
  for (int i = 0; i < 247; ++i) deep = Value::list({deep});
  out.save("lists_247_deep", deep);
  deep = "x";
  for (int i = 0; i < 247; ++i) deep = Value::dict({{"k", deep}});
  out.save("dicts_247_deep", deep);
  out.save("empty_containers", Value::list({Value::list(), Value::tuple(), Value::set(),
                                            Value::dict(), Value::structure("acme::Empty"),
                                            Value::tuple({Value::dict({{"", Value::set()}})})}));
  out.save("sets", Value::list({Value::set({1, "a", Value(), 2.5, Value::tuple({1, 2})})}));
  out.save("extension_bytes",
           Value::list({Value::bytes(std::as_bytes(std::span(std::string_view("\0\xff", 2)))),
                        Value::bytes(std::span<const std::byte>())}),
           R"(, "plugins": ["safestructures_cpp"])");
}

struct Layer {
  std::string name;
  std::vector<float> weight;
  std::optional<double> dropout;
  std::map<std::string, std::int64_t> counts;
};
struct Network {
  std::vector<Layer> layers;
  std::pair<int, bool> pair;
  std::set<std::string> tags;
};

void structs(const Writer& out) {
  const Network network{
      {{"in", {1, 2}, 0.5, {{"seen", 3}}}, {"out", {}, {}, {}}}, {1, true}, {"a", "b"}};
  out.save("structs", Value::from(network));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: structures DIR\n";
    return 2;
  }
  try {
    const Writer out(argv[1]);
    tensors(out);
    scalars(out);
    containers(out);
    structs(out);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
