/// \file
/// Whatever is stored in whatever precision, everybody can read what was stored.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/recording/recording.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>
#include <safestructures/tools/verify.hpp>

#include "support/folder.hpp"

namespace {

namespace ss = safestructures;
using ss::DType;
using ss::test::Folder;

std::vector<DType> all_dtypes() {
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < ss::dtype_count; ++i) dtypes.push_back(static_cast<DType>(i));
  return dtypes;
}

/// A tensor of bits of every kind: of 8 bits each code, of others zeros, ones, and some at random.
ss::Tensor bits_of(DType dtype) {
  constexpr std::uint64_t count = 1024;
  std::vector<std::byte> bytes(static_cast<std::size_t>(ss::byte_size(dtype, ss::Shape{count})));
  std::mt19937 random(7);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i < 256 ? i : random());
  for (std::size_t i = 256; i < 280; ++i) bytes[i] = i < 268 ? std::byte{0x00} : std::byte{0xFF};
  if (dtype == DType::BOOL)
    for (std::byte& byte : bytes) byte &= std::byte{1};
  return ss::Tensor::share(dtype, ss::Shape{count}, bytes, nullptr).clone();
}

/// Precisions that ask for each floating and each integer dtype.
std::vector<ss::Precision> all_precisions() {
  std::vector<ss::Precision> precisions = {ss::Precision::preserve};
  for (const DType dtype : all_dtypes()) {
    if (ss::is_floating(dtype)) precisions.push_back({.floats = dtype, .integers = {}});
    if (ss::is_integer(dtype)) precisions.push_back({.floats = {}, .integers = dtype});
  }
  return precisions;
}

/// Whether a dtype has no NaN: then bits at random may be refused, which whoever asks is told.
bool is_without_nan(const ss::Precision& precision) {
  return precision.floats == DType::F4 || precision.floats == DType::F6_E2M3 ||
         precision.floats == DType::F6_E3M2;
}

std::string name_of(const ss::Precision& precision) {
  if (precision.floats) return std::string(ss::to_string(*precision.floats));
  return precision.integers ? std::string(ss::to_string(*precision.integers)) : "preserve";
}

}  // namespace

TEST_CASE("what is recorded in any dtype and any precision verifies, and loads in its own dtype") {
  for (const ss::Precision& precision : all_precisions()) {
    const std::string wanted = name_of(precision);
    CAPTURE(wanted);
    for (const DType dtype : all_dtypes()) {
      const std::string own(ss::to_string(dtype));
      CAPTURE(own);
      const Folder folder;
      ss::ActivationRecorder recorder(folder / "run", {.precision = precision});
      recorder.record("x", bits_of(dtype));
      try {
        recorder.close();
      } catch (const ss::Error&) {
        CHECK(is_without_nan(precision));
        continue;
      }
      const ss::Recording run(folder / "run");
      CHECK_NOTHROW(static_cast<void>(ss::verify_file(run[0].file())));
      CHECK_NOTHROW(static_cast<void>(run[0].tensor().to(dtype, ss::Overflow::error)));
    }
  }
}

TEST_CASE("what is saved in any dtype and any precision verifies, and loads in its own dtype") {
  const Folder folder;
  const std::filesystem::path file = folder / "x.safetensors";
  for (const ss::Precision& precision : all_precisions()) {
    const std::string wanted = name_of(precision);
    CAPTURE(wanted);
    for (const DType dtype : all_dtypes()) {
      const std::string own(ss::to_string(dtype));
      CAPTURE(own);
      try {
        ss::save_file(bits_of(dtype), file,
                      {.precision = precision, .overflow = ss::Overflow::allow});
      } catch (const ss::Error&) {
        CHECK(is_without_nan(precision));
        continue;
      }
      CHECK_NOTHROW(static_cast<void>(ss::verify_file(file)));
      CHECK_NOTHROW(static_cast<void>(ss::load_file(file).tensor().to(dtype, ss::Overflow::error)));
    }
  }
}
