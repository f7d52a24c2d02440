/// \file
/// Headers and schemas in the common spelling are read by direct readers, all others by general
/// ones. A blank after the first brace switches readers, and must change nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/precision.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include <safestructures/formats/safetensors/header.hpp>

#include "formats/safetensors/header_stream.hpp"

namespace safestructures::test {

/// Returns the text of an object with that blank.
inline std::string with_blank(std::string_view object) {
  return "{ " + std::string(object.substr(1));
}

/// Returns all that is read from the header that `open` gives, or all that its error says.
/// \param shift the number to subtract from the error's offset
template <class Open>
std::string read_header_by(const Open& open, std::uint64_t shift) {
  std::string read;
  try {
    const auto header = open();
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

inline std::string read_header(std::string_view json, std::uint64_t data_size,
                               std::uint64_t shift) {
  return read_header_by(
      [&] { return safetensors::Header::parse(std::as_bytes(std::span(json)), data_size); }, shift);
}

/// Returns the bytes of a file without its tensors; the length at its beginning is not used.
inline std::vector<std::byte> file_with(std::string_view json) {
  std::vector<std::byte> bytes(safetensors::detail::length_size);
  const auto text = std::as_bytes(std::span(json));
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

/// Returns the same for a file's header that is read in pieces of `window` bytes.
inline std::string read_header_in_pieces(const Source& source, std::uint64_t data_size,
                                         std::size_t window) {
  namespace detail = safetensors::detail;
  const auto length = static_cast<std::size_t>(source.size() - detail::length_size);
  return read_header_by(
      [&] {
        detail::Table table = detail::read_table(source, length, data_size, {}, window);
        static_cast<void>(detail::index_names(table));
        return table;
      },
      0);
}

/// Reads a schema and returns it written again, or all that its error says.
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
