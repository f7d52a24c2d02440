#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/formats/pytorch.hpp>
#include "data/text/ending.hpp"
#include "formats/pytorch/fit.hpp"
#include "formats/pytorch/read.hpp"

namespace safestructures::inline v0::formats {
namespace {

constexpr std::string_view index_ending = ".bin.index.json";
constexpr std::array<std::string_view, 3> endings = {".pt", ".pth", index_ending};

class PytorchFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return "pytorch"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    return safestructures::pytorch::is_of_pytorch(head);
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      return detail::has_ending(gzip::inner_name(source->name()), index_ending)
                 ? safestructures::pytorch::read_checkpoint(source, options)
                 : safestructures::pytorch::read(source, options);
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value&, Sink&, const SaveOptions&) const override {
    throw Error(ErrorCode::invalid_argument, "files of PyTorch are only read",
                {.advice = "Save as .safetensors, which PyTorch loads with safetensors.torch"});
  }
  std::optional<Value> for_type(const Value& part, const Content&,
                                const LoadOptions& options) const override {
    Value result = part;
    if (!safestructures::pytorch::fit(result, options.type(), options.limits)) return std::nullopt;
    return result;
  }
};

}  // namespace

const std::shared_ptr<const Format>& pytorch() {
  // Never destroyed: see all().
  static const auto& format =
      *new std::shared_ptr<const Format>(std::make_shared<const PytorchFormat>());
  return format;
}

}  // namespace safestructures::inline v0::formats
