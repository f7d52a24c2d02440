#include <algorithm>
#include <array>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/json.hpp>
#include "formats/json/read.hpp"
#include "formats/json/write.hpp"

namespace safestructures::inline v0::formats {
namespace {

constexpr std::array<std::string_view, 1> endings = {".json"};
constexpr unsigned most_indent = 16;

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
      return safestructures::json::read(source, options);
    } catch (const Error& error) {
      throw error.with_file(source->name());
    }
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    return safestructures::json::write(root, sink, options, options_);
  }

 private:
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
