// The programs of docs/formats.md.

#include <array>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

using Model = std::map<std::string, std::vector<float>>;

/// A list of str, one a line, behind a first line that says so.
class LinesFormat final : public ss::Format {
 public:
  std::string_view name() const noexcept override { return "lines"; }
  std::span<const std::string_view> extensions() const noexcept override { return endings; }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    return head.size() >= mark.size() && std::memcmp(head.data(), mark.data(), mark.size()) == 0;
  }
  ss::Content read(const std::shared_ptr<const ss::Source>& source,
                   const ss::LoadOptions& options) const override {
    ss::Content content;
    content.root = ss::Value::list();
    const ss::SharedBytes all = source->view(0, static_cast<std::size_t>(source->size()));
    std::string_view text(reinterpret_cast<const char*>(all.bytes.data()), all.bytes.size());
    text.remove_prefix(mark.size());
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
      if (content.root.size() == options.limits.nodes)
        throw ss::Error(ss::ErrorCode::limit_exceeded, "too many lines",
                        {.expected = "at most Limits::nodes"});
      content.root.push_back(ss::Value(text.substr(0, end)));
      text.remove_prefix(end + 1);
    }
    content.description = "lines";
    return content;
  }
  ss::SaveReport write(const ss::Value& root, ss::Sink& sink,
                       const ss::SaveOptions&) const override {
    std::string text(mark);
    for (const ss::Value& line : root.items()) text += line.as_string() + "\n";
    sink.write_copied(std::as_bytes(std::span(text)));
    sink.flush();
    return {.bytes = text.size(), .conversions = {}};
  }

 private:
  static constexpr std::string_view mark = "#lines\n";
  static constexpr std::array<std::string_view, 1> endings = {".lines"};
};

int main() {
  const Model model = {{"weight", {1, 2, 3}}};
  ss::save_file(model, "model.safetensors");  // by the extension
  ss::save_file(model, "model.json");
  ss::save_file(model, "model.txt", {.format = ss::formats::json({.indent = 0})});  // by the option
  Model again = ss::load_file<Model>("model.txt");  // by the content
  if (again != model) return 1;

  ss::save_file(model, "model.json.gz");
  Model unpacked = ss::load_file<Model>("model.json.gz");
  if (unpacked != model) return 1;

  const auto lines = std::make_shared<const LinesFormat>();
  const std::vector<std::string> names = {"cat", "dog"};
  ss::save_file(names, "names.lines", {.format = lines});
  if (ss::load_file<std::vector<std::string>>("names.lines", {.format = lines}) != names) return 1;

  ss::convert_file(ss::open("model.safetensors"), "half.json", {.precision = ss::Precision::f16});
  const ss::VerifyReport report = ss::verify_file("half.json");
  std::cout << report.tensor_count << " tensors\n";
}
