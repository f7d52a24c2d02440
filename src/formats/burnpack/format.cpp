#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/burnpack.hpp>
#include "formats/burnpack/description.hpp"
#include "formats/burnpack/read.hpp"
#include "formats/burnpack/write.hpp"

namespace safestructures::inline v0::formats {
namespace {

constexpr std::array<std::string_view, 1> endings = {".bpk"};

class BurnpackFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return "burnpack"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    const auto magic = std::as_bytes(std::span(safestructures::burnpack::magic));
    return head.size() >= magic.size() && std::ranges::equal(head.first(magic.size()), magic);
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      return safestructures::burnpack::read(source, options);
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    return safestructures::burnpack::write(root, sink, options);
  }
};

}  // namespace

const std::shared_ptr<const Format>& burnpack() {
  // Never destroyed: see all().
  static const auto& format =
      *new std::shared_ptr<const Format>(std::make_shared<const BurnpackFormat>());
  return format;
}

}  // namespace safestructures::inline v0::formats
