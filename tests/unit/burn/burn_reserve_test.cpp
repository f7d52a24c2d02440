/// \file
/// What a record of Burn announces to its sink, which a file reserves on the disk.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/sink.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/formats/burn.hpp>
#include "support/codec.hpp"

namespace {

namespace ss = safestructures;
namespace burn = ss::burn;

struct Numbers {
  ss::Tensor weight;
  ss::Tensor counts;
};
struct Floats {
  std::vector<float> numbers;
};

}  // namespace

TEST_CASE("no more bytes are announced than a record takes, and nearly all of its numbers") {
  class Announced final : public ss::Sink {
   public:
    void write(std::span<const std::byte> bytes) override { position_ += bytes.size(); }
    std::uint64_t position() const noexcept override { return position_; }
    void expect(std::uint64_t size) override { announced = size; }
    std::uint64_t announced = 0;

   private:
    std::uint64_t position_ = 0;
  };
  const Numbers numbers{ss::Tensor::own<float>(std::vector<float>(1000), {1000}),
                        ss::Tensor::own<std::int64_t>(std::vector<std::int64_t>(1000), {1000})};
  for (const burn::Encoding encoding : {burn::Encoding::messagepack, burn::Encoding::bincode})
    for (const burn::Settings settings :
         {burn::Settings::double_precision, burn::Settings::full_precision,
          burn::Settings::half_precision})
      for (const std::string version : {"0.13.0", "0.21.0"}) {
        CAPTURE(settings);
        CAPTURE(version);
        const auto format = ss::formats::burn(
            {.encoding = encoding, .settings = settings, .burn_version = version});
        Announced sink;
        format->write(codec_test::to_value(numbers), sink, {.type = &ss::type_info<Numbers>});
        CHECK(sink.announced <= sink.position());
        CHECK(sink.announced == (settings == burn::Settings::half_precision ? 0U : 4000U));
        // A list of numbers in Rust, of four bytes each whatever the settings.
        Announced list;
        format->write(codec_test::to_value(Floats{std::vector<float>(1000)}), list,
                      {.type = &ss::type_info<Floats>});
        CHECK(list.announced <= list.position());
      }
}
