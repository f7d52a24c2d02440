#include "formats/json/tree_output.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/json_text.hpp"
#include "data/text/number.hpp"
#include "formats/json/element_write.hpp"
#include "formats/json/elements.hpp"
#include "formats/json/output.hpp"
#include "formats/tree/names.hpp"

namespace safestructures::inline v0::json {
namespace {

using tree::Layout;

class JsonOutput final : public tree::Output {
 public:
  JsonOutput(Sink& sink, const JsonOptions& options)
      : form_(options.tensors), out_(sink, options.indent), text_(out_.text()) {}

  std::string_view format() const noexcept override { return "JSON"; }
  bool takes_key(const Value& key) const noexcept override { return key.kind() == Kind::string; }
  bool has_bytes() const noexcept override { return false; }
  bool takes_integer(const Value&) const override { return true; }

  void null() override { text_ += "null"; }
  void boolean(bool value) override { text_ += value ? "true" : "false"; }
  void integer(const Value& value) override { text_ += value.integer_text(); }
  void floating(double value) override {
    if (std::isfinite(value)) return detail::append_float(text_, value);
    begin_object(1, Layout::inline_);
    key(name_of(tree::Mark::floating), nullptr);
    part(value);
    end_object();
  }
  void part(double value) override {
    append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(value));
  }
  void string(std::string_view text, const Trace* trace) override {
    json::append_string(text_, text, json::Escapes::unsafe, trace);
  }

  void begin_object(std::size_t, Layout layout) override { open('{', layout); }
  void key(std::string_view name, const Trace* trace) override {
    const bool is_of_root = open_.size() == 1;
    if (is_of_root && open_.back().is_empty) root_is_dict_ = !name.starts_with('$');
    next();
    // A dict without a mark that had this name unescaped would be taken for the index of a
    // checkpoint, which leads to other files.
    if (is_of_root && root_is_dict_ && name == "weight_map") text_ += R"("weight\u005fmap")";
    else string(name, trace);
    out_.colon();
  }
  void begin_key() override {}  // All keys are strings.
  void end_object() override { close('}'); }
  void begin_array(std::size_t, Layout layout) override { open('[', layout); }
  void begin_item() override { next(); }
  void end_array() override { close(']'); }

  void bytes(detail::StoredElements& elements) override { write_base64(out_, elements.tensor()); }
  std::size_t data_members(std::uint64_t) const noexcept override { return 1; }
  void data(detail::StoredElements& elements) override {
    key(tree::data_name, nullptr);
    write_elements(out_, elements, form_);
  }

  void pass_on() override { out_.pass_on(); }
  void finish() override {
    if (out_.is_pretty()) text_ += '\n';
    out_.send();
  }

 private:
  struct Level {
    Layout layout;
    bool is_empty = true;
  };

  void open(char bracket, Layout layout) {
    if (layout == Layout::lines) out_.open(bracket);
    else text_ += bracket;
    open_.push_back({layout});
  }
  /// Must be called between members or items.
  void next() {
    Level& level = open_.back();
    const bool is_first = std::exchange(level.is_empty, false);
    if (level.layout == Layout::inline_) {
      if (!is_first) out_.comma();
      return;
    }
    if (!is_first) text_ += ',';
    out_.line();
  }
  void close(char bracket) {
    const Level level = open_.back();
    open_.pop_back();
    if (level.layout == Layout::lines && !level.is_empty) return out_.close(bracket);
    if (level.layout == Layout::lines) out_.leave();
    text_ += bracket;
  }

  JsonTensors form_;
  json::Output out_;
  std::string& text_;
  std::vector<Level> open_;
  bool root_is_dict_ = false;  // Without a mark.
};

}  // namespace

std::unique_ptr<tree::Output> tree_output(Sink& sink, const JsonOptions& options) {
  return std::make_unique<JsonOutput>(sink, options);
}

}  // namespace safestructures::inline v0::json
