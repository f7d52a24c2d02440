#include "cli/numpy/npy.hpp"

#include <cstdint>
#include <ostream>
#include <string>

#include <safestructures/data/error.hpp>

namespace safestructures::cli {
namespace {

std::string type_string(DType dtype, std::string_view way_out) {
  switch (dtype) {
    case DType::BOOL: return "|b1";
    case DType::U8: return "|u1";
    case DType::I8: return "|i1";
    case DType::U16: return "<u2";
    case DType::I16: return "<i2";
    case DType::F16: return "<f2";
    case DType::U32: return "<u4";
    case DType::I32: return "<i4";
    case DType::F32: return "<f4";
    case DType::U64: return "<u8";
    case DType::I64: return "<i8";
    case DType::F64: return "<f8";
    case DType::C64: return "<c8";
    default:
      throw Error(ErrorCode::invalid_argument, "NumPy does not have this dtype",
                  {.found = std::string(to_string(dtype)),
                   .advice = "Add " + std::string(way_out) + " to convert it"});
  }
}

std::string shape_tuple(const Shape& shape) {
  std::string text = "(";
  for (const std::uint64_t size : shape) text += std::to_string(size) + ", ";
  if (shape.size() == 1) text.pop_back();
  else if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

}  // namespace

std::string npy_header(const Tensor& tensor, std::string_view way_out) {
  std::string header = "{'descr': '" + type_string(tensor.dtype(), way_out) +
                       "', 'fortran_order': False, 'shape': " + shape_tuple(tensor.shape()) + ", }";
  constexpr std::size_t before_header = 10;  // Magic, version, and two bytes for the length.
  header.append(63 - (before_header + header.size()) % 64, ' ');
  header += '\n';
  // NumPy assumes that a bool is 0 or 1; this checks it.
  if (tensor.dtype() == DType::BOOL) {
    const Tensor packed = tensor.contiguous();
    static_cast<void>(packed.data<bool>());
  }
  std::string start = "\x93NUMPY\x01";
  start += '\0';
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  return start + header;
}

void write_npy(std::ostream& out, const Tensor& tensor, std::string_view header) {
  const Tensor packed = tensor.contiguous();
  out << header;
  const std::span<const std::byte> bytes = packed.bytes();
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

}  // namespace safestructures::cli
