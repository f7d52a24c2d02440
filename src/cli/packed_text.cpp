#include "cli/packed_text.hpp"

#include <cstddef>
#include <cstdint>
#include <ios>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <safestructures/data/sink.hpp>
#include <safestructures/formats/gzip.hpp>
#include "cli/console/sink_buffer.hpp"
#include "formats/json/base64.hpp"

namespace safestructures::cli {
namespace {

class Base64Sink final : public Sink {
 public:
  explicit Base64Sink(std::ostream& out) : out_(out) {}

  void write(std::span<const std::byte> bytes) override {
    position_ += bytes.size();
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    encode(pending_.size() / 3 * 3);
  }
  [[nodiscard]] std::uint64_t position() const noexcept override { return position_; }

  /// Must be called once, at the end.
  void finish() { encode(pending_.size()); }

 private:
  void encode(std::size_t size) {
    text_.clear();
    json::append_base64(text_, std::span(pending_).first(size));
    out_ << text_;
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(size));
  }

  std::ostream& out_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> pending_;
  std::string text_;
};

}  // namespace

void write_packed(std::ostream& out, const std::function<void(std::ostream&)>& fill) {
  Base64Sink text(out);
  // This library's limits do not apply to whoever unpacks it.
  gzip::Packer packer(text, {.expansion = std::numeric_limits<std::uint32_t>::max()});
  SinkBuffer buffer(packer);
  std::ostream packed(&buffer);
  // This lets an exception of `out` pass through the stream.
  packed.exceptions(std::ios::badbit);
  fill(packed);
  packer.finish();
  text.finish();
}

}  // namespace safestructures::cli
