#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "cli/numpy/npy.hpp"

namespace safestructures::cli {
namespace {

[[noreturn]] void fail_array(std::string problem, ErrorDetails details = {}) {
  throw Error(ErrorCode::invalid_header, std::move(problem), std::move(details));
}

struct Header {
  std::string descr;
  bool is_fortran = false;
  std::vector<std::uint64_t> shape;
};

/// Parses Python's literal of a dict with three keys, as NumPy writes it.
class HeaderParser {
 public:
  /// \param has_longs whether sizes may be spelled as Python 2 did: `3L`
  HeaderParser(std::string_view text, bool has_longs, const Limits& limits)
      : text_(text), has_longs_(has_longs), limits_(limits) {}

  Header parse() {
    Header header;
    unsigned known = 0;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          fail_array("structured arrays are not arrays of numbers",
                     {.found = "a structured dtype"});
        header.descr = string();
        known |= 1U;
      } else if (key == "fortran_order") {
        header.is_fortran = boolean();
        known |= 2U;
      } else if (key == "shape") {
        header.shape = shape();
        known |= 4U;
      } else {
        wrong();
      }
      if (!take(',') && peek() != '}') wrong();
    }
    skip_blanks();
    if (known != 7U || !text_.empty()) wrong();
    return header;
  }

 private:
  [[noreturn]] void wrong() const {
    fail_array("the header of an array is not NumPy's",
               {.expected = "{'descr': ..., 'fortran_order': ..., 'shape': ...}"});
  }
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
  }
  char peek() {
    skip_blanks();
    return text_.empty() ? '\0' : text_.front();
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) wrong();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') wrong();
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) wrong();
    std::string result(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(std::string_view(word).size());
      return value;
    }
    wrong();
  }
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (!take(')')) {
      sizes.push_back(size());
      if (sizes.size() > limits_.rank)
        throw Error(ErrorCode::limit_exceeded, "an array has too many dimensions",
                    {.expected = "at most " + std::to_string(limits_.rank) + " (Limits::rank)"});
      // A single size without a comma is not a tuple.
      if (!take(',') && (peek() != ')' || sizes.size() == 1)) wrong();
    }
    return sizes;
  }
  std::uint64_t size() {
    skip_blanks();
    std::uint64_t result = 0;
    const auto [end, failure] = std::from_chars(text_.data(), text_.data() + text_.size(), result);
    const auto digits = static_cast<std::size_t>(end - text_.data());
    if (failure != std::errc() || (digits > 1 && text_.front() == '0')) wrong();
    text_.remove_prefix(digits);
    if (has_longs_ && text_.starts_with('L')) text_.remove_prefix(1);
    return result;
  }

  std::string_view text_;
  bool has_longs_;
  const Limits& limits_;
};

std::optional<DType> dtype_of_descr(std::string_view descr) {
  constexpr std::array<std::pair<std::string_view, DType>, 13> known = {{{"b1", DType::BOOL},
                                                                         {"u1", DType::U8},
                                                                         {"i1", DType::I8},
                                                                         {"u2", DType::U16},
                                                                         {"i2", DType::I16},
                                                                         {"f2", DType::F16},
                                                                         {"u4", DType::U32},
                                                                         {"i4", DType::I32},
                                                                         {"f4", DType::F32},
                                                                         {"u8", DType::U64},
                                                                         {"i8", DType::I64},
                                                                         {"f8", DType::F64},
                                                                         {"c8", DType::C64}}};
  for (const auto& [name, dtype] : known)
    if (descr.substr(1) == name) return dtype;
  return std::nullopt;
}

[[noreturn]] void fail_dtype(const std::string& descr) {
  ErrorDetails details{.expected = "bools, integers, floats of up to 64 bits, complex of 64 bits",
                       .found = "'" + descr + "'"};
  if (descr.ends_with('O'))
    details.advice =
        "These are pickled objects, which can run code when they are loaded: save arrays of "
        "numbers";
  else details.advice = "Convert the array in NumPy, with astype";
  throw Error(ErrorCode::unknown_dtype, "an array has an unsupported dtype", std::move(details));
}

/// Returns elements with their bytes reversed. \param unit bytes of a number
std::vector<std::byte> swapped(std::span<const std::byte> bytes, std::size_t unit) {
  std::vector<std::byte> result(bytes.begin(), bytes.end());
  for (std::size_t i = 0; i + unit <= result.size(); i += unit)
    std::reverse(result.begin() + static_cast<std::ptrdiff_t>(i),
                 result.begin() + static_cast<std::ptrdiff_t>(i + unit));
  return result;
}

}  // namespace

Tensor read_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                const Limits& limits) {
  constexpr std::string_view magic = "\x93NUMPY";
  constexpr std::size_t longest_header = 65535;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  if (!text.starts_with(magic) || text.size() < 12) fail_array("this is not a .npy file");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw Error(ErrorCode::unsupported_version, "a .npy file has an unknown version",
                {.expected = "1.0, 2.0 or 3.0",
                 .found = std::to_string(version) + '.' + std::to_string(byte(7))});
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8U;
  if (version > 1) length |= byte(10) << 16U | byte(11) << 24U;
  if (length > longest_header)
    fail_array("the header of an array is too long",
               {.expected = "at most 65535 bytes", .found = std::to_string(length)});
  if (length > text.size() - start)
    throw Error(ErrorCode::truncated, "a .npy file ends inside its header");
  Header header = HeaderParser(text.substr(start, length), version < 3, limits).parse();

  const std::optional<DType> dtype =
      header.descr.size() == 3 ? dtype_of_descr(header.descr) : std::nullopt;
  const char order = header.descr.empty() ? '\0' : header.descr.front();
  if (!dtype || (order != '<' && order != '>' && order != '|')) fail_dtype(header.descr);
  std::span<const std::byte> elements = bytes.subspan(start + length);
  const std::size_t width = bit_width(*dtype) / 8;
  if (order == '>' && width > 1) {
    const auto copy = std::make_shared<const std::vector<std::byte>>(
        swapped(elements, *dtype == DType::C64 ? width / 2 : width));
    elements = *copy;
    owner = copy;
  }
  if (!header.is_fortran)
    return Tensor::share(*dtype, Shape(header.shape), elements, std::move(owner));
  // Column-major is row-major for the transposed array.
  std::ranges::reverse(header.shape);
  std::vector<std::size_t> dimensions(header.shape.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) dimensions[i] = dimensions.size() - 1 - i;
  return Tensor::share(*dtype, Shape(header.shape), elements, std::move(owner)).permute(dimensions);
}

}  // namespace safestructures::cli
