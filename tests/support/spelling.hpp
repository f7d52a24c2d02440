/// \file
/// Headers and schemas in the spelling that everybody writes are read directly, all others in
/// general. A blank behind the first brace makes the difference, and must make no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/header.hpp>

namespace safestructures::test {

/// The text with that blank; for an object only.
inline std::string with_blank(std::string_view object) {
  return "{ " + std::string(object.substr(1));
}

/// All that is read of a header, or all that its error says. \param shift what to take off the
/// error's offset
inline std::string read_header(std::string_view json, std::uint64_t data_size,
                               std::uint64_t shift) {
  using safetensors::Header;
  std::string read;
  try {
    const Header header = Header::parse(std::as_bytes(std::span(json)), data_size);
    for (const auto& [key, value] : header.metadata())
      read.append(key).append(1, '=').append(value).append(1, '\n');
    for (std::size_t i = 0; i < header.size(); ++i) {
      const safetensors::TensorInfo info = header.info(i);
      read.append(info.name).append(1, ' ').append(to_string(info.dtype));
      read += ' ' + to_string(info.shape) + ' ' + std::to_string(info.begin) + ' ' +
              std::to_string(info.end) + '\n';
    }
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    if (details.offset) *details.offset -= shift;
    read = Error(error.code(), error.problem(), details).what();
  }
  return read;
}

/// The schema that is written of what is read of one, or all that its error says.
template <class Lookup>
std::string read_schema(std::string_view text, const Lookup& lookup) {
  try {
    const Value value = schema::read(text, lookup);
    const schema::Written written = schema::write(value, {.precision = Precision::preserve});
    std::string read = written.text;
    for (const safetensors::Item& tensor : written.tensors)
      read.append(1, '\n').append(tensor.name);
    return read;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace safestructures::test
