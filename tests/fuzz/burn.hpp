/// \file
/// Records of Burn in each encoding, as a Value and typed.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <safestructures/burn/burn.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

namespace burn = safestructures::burn;

/// One of each thing that a record may hold.
struct BurnModel {
  burn::Linear linear;
  burn::GroupNorm norm;
  std::vector<burn::Conv2d> convs;
  std::optional<burn::Lstm> lstm;
  burn::Enum<burn::Case<"A", std::int16_t>, burn::Case<"B", std::string>> choice;
  std::vector<float> floats;
  std::array<std::uint16_t, 2> pair;
  std::map<std::string, ss::half> halves;
  burn::Constant constant;
};

inline std::shared_ptr<const ss::Format> burn_format(burn::Encoding encoding) {
  return ss::formats::burn({.encoding = encoding});
}

/// What loads is saved, unless no version of Burn would read it, and then for good: what is saved
/// loads and is saved as the same bytes.
template <class T>
void check_record(const T& object, const ss::Metadata& metadata, burn::Encoding encoding) {
  const ss::SaveOptions options{
      .format = burn_format(encoding), .metadata = metadata, .precision = ss::Precision::preserve};
  std::optional<std::vector<std::byte>> saved;
  expect_errors([&] { saved = ss::save(object, options); });
  if (!saved) return;
  const T again = ss::load<T>(*saved, {.format = options.format});
  require(ss::save(again, options) == *saved, "a record is saved as other bytes");
}

inline void load_record(Bytes bytes, burn::Encoding encoding) {
  std::optional<ss::Document> document;
  expect_errors([&] {
    document = ss::Document::from_bytes(
        bytes, nullptr, {.format = burn_format(encoding), .limits = {.depth = 100}});
  });
  if (!document) return;
  for (const burn::Encoding target : {burn::Encoding::messagepack, burn::Encoding::json})
    check_record(document->root(), document->metadata(), target);
}

template <class T>
void load_record_as(Bytes bytes, burn::Encoding encoding) {
  std::optional<T> object;
  expect_errors([&] {
    object = ss::load<T>(bytes, {.format = burn_format(encoding), .limits = {.depth = 100}});
  });
  if (!object) return;
  // The numbers of a list are doubles on their way from MessagePack, which makes NaNs quiet.
  for (float& number : object->floats)
    if (std::isnan(number))
      number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) | 0x0040'0000U);
  for (const burn::Encoding target :
       {burn::Encoding::messagepack, burn::Encoding::json, burn::Encoding::bincode})
    check_record(*object, {}, target);
}

/// The first byte chooses how the others are read.
inline void burn_records(Bytes bytes) {
  Reader reader(bytes);
  switch (reader.byte() % 5) {
    case 0: return load_record(reader.rest(), burn::Encoding::messagepack);
    case 1: return load_record(reader.rest(), burn::Encoding::json);
    case 2: return load_record_as<BurnModel>(reader.rest(), burn::Encoding::bincode);
    case 3: return load_record_as<BurnModel>(reader.rest(), burn::Encoding::messagepack);
    default: return load_record_as<BurnModel>(reader.rest(), burn::Encoding::json);
  }
}

}  // namespace fuzz
