/// \file
/// The oracle for the small floating-point formats: golden/minifloats.bin, made by NumPy and
/// ml_dtypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/dtype.hpp>

namespace safestructures::tests {

/// One format's part of the golden file.
struct GoldenFormat {
  DType dtype;
  std::vector<float> numbers;        ///< of every code
  std::vector<std::uint16_t> codes;  ///< of every value of `MinifloatTables::values`
};

struct MinifloatTables {
  std::vector<double> values;
  std::vector<GoldenFormat> formats;

  [[nodiscard]] const GoldenFormat& of(DType dtype) const {
    for (const GoldenFormat& format : formats) {
      if (format.dtype == dtype) return format;
    }
    throw std::logic_error("no golden table of this dtype");
  }
};

inline MinifloatTables read_minifloat_tables() {
  std::ifstream file(std::string(SAFESTRUCTURES_TEST_DATA) + "/golden/minifloats.bin",
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::size_t position = 0;
  const auto read = [&](auto& value) {
    if (bytes.size() - position < sizeof(value)) throw std::runtime_error("minifloats.bin is cut");
    std::memcpy(&value, bytes.data() + position, sizeof(value));
    position += sizeof(value);
  };

  MinifloatTables tables;
  for (const DType dtype :
       {DType::F16, DType::BF16, DType::F8_E5M2, DType::F8_E4M3, DType::F8_E8M0, DType::F8_E4M3FNUZ,
        DType::F8_E5M2FNUZ, DType::F4, DType::F6_E2M3, DType::F6_E3M2}) {
    GoldenFormat format{.dtype = dtype, .numbers = {}, .codes = {}};
    format.numbers.resize(std::size_t{1} << bit_width(dtype));
    for (float& number : format.numbers) read(number);
    tables.formats.push_back(std::move(format));
  }
  std::uint64_t count = 0;
  read(count);
  if (count > bytes.size()) throw std::runtime_error("minifloats.bin is damaged");
  tables.values.resize(static_cast<std::size_t>(count));
  for (double& value : tables.values) read(value);
  for (GoldenFormat& format : tables.formats) {
    format.codes.resize(tables.values.size());
    for (std::uint16_t& code : format.codes) {
      if (bit_width(format.dtype) == 16) {
        read(code);
      } else {
        std::uint8_t byte = 0;
        read(byte);
        code = byte;
      }
    }
  }
  if (position != bytes.size()) throw std::runtime_error("minifloats.bin has bytes left over");
  return tables;
}

/// Returns the tables, which are read once per process.
inline const MinifloatTables& minifloat_tables() {
  static const MinifloatTables tables = read_minifloat_tables();
  return tables;
}

}  // namespace safestructures::tests
