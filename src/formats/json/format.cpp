#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>
#include <safestructures/formats/json.hpp>
#include "formats/json/input.hpp"
#include "formats/json/tree_output.hpp"
#include "formats/refuse_checksums.hpp"
#include "formats/tree/read.hpp"
#include "formats/tree/write.hpp"

namespace safestructures::inline v0::formats {
namespace {

constexpr std::array<std::string_view, 1> endings = {".json"};
constexpr unsigned most_indent = 16;

/// Returns the whole text, as a view if that is possible and asked for.
SharedBytes text_of(const Source& source, Access access) {
  const auto size = static_cast<std::size_t>(source.size());
  if (access == Access::map || source.is_in_memory()) return source.view(0, size);
  auto owner = std::make_shared<std::vector<std::byte>>(size);
  source.read(0, *owner);
  const std::span<const std::byte> bytes = *owner;
  return {bytes, std::move(owner)};
}

class JsonFormat final : public Format {
 public:
  explicit JsonFormat(const JsonOptions& options) : options_(options) {}

  std::string_view name() const noexcept override { return "json"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    try {
      detail::refuse_checksums(options);
      const SharedBytes text = text_of(*source, options.access);
      const std::unique_ptr<tree::Input> input = input_of(text, options.limits);
      return tree::read(*input, *source, options);
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    tree::check_options("JSON", options);
    return tree::write(root, *safestructures::json::tree_output(sink, options_), sink, options);
  }

 private:
  static std::unique_ptr<tree::Input> input_of(const SharedBytes& text, const Limits& limits) {
    try {
      return safestructures::json::tree_input(
          {reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()}, limits);
    } catch (const Error& error) {
      throw error.with_path("/");
    }
  }

  JsonOptions options_;
};

}  // namespace

std::shared_ptr<const Format> json(JsonOptions options) {
  if (options.indent > most_indent)
    throw Error(ErrorCode::invalid_argument, "an indent is too large",
                {.expected = "at most " + std::to_string(most_indent) + " (JsonOptions::indent)",
                 .found = std::to_string(options.indent)});
  return std::make_shared<const JsonFormat>(options);
}

}  // namespace safestructures::inline v0::formats
