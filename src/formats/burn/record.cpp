#include "formats/burn/record.hpp"

#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::burn {
namespace {

/// Takes the number at the beginning of a text from it.
std::optional<Version> take_number(std::string_view& text) {
  Version number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

std::optional<Version> find_version(std::string_view text) noexcept {
  const std::optional<Version> major = take_number(text);
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<Version> minor = take_number(text);
  constexpr Version most = 1000;
  if (!minor || *major > most || *minor >= most) return std::nullopt;
  return *major * most + *minor;
}

}  // namespace

Version parse_version(std::string_view text) {
  if (const std::optional<Version> version = find_version(text)) return *version;
  throw Error(ErrorCode::invalid_argument, "a text is not a version of Burn",
              {.expected = "such as '0.13' or '0.21.0'", .found = "'" + std::string(text) + "'"});
}

Version version_of(const RecordMetadata& metadata) noexcept {
  return find_version(metadata.version).value_or(newest_version);
}

std::optional<DType> dtype_of_rust(std::string_view name) noexcept {
  if (name == "f64") return DType::F64;
  if (name == "f32") return DType::F32;
  if (name == "half::binary16::f16") return DType::F16;
  if (name == "half::bfloat::bf16") return DType::BF16;
  if (name == "i64") return DType::I64;
  if (name == "i32") return DType::I32;
  if (name == "i16") return DType::I16;
  if (name == "i8") return DType::I8;
  return std::nullopt;
}

}  // namespace safestructures::inline v0::burn
