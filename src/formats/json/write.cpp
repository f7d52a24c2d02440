#include "formats/json/write.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <utility>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include "data/number.hpp"
#include "data/same_view.hpp"
#include "formats/json/elements.hpp"
#include "formats/json/names.hpp"
#include "formats/json/tensor_write.hpp"
#include "formats/json/text.hpp"
#include "formats/lossy.hpp"
#include "formats/stored_dtype.hpp"

namespace safestructures::json {
namespace {

/// Which values stand for themselves, without `$plain` or `$node` around them.
enum class Context : std::uint8_t {
  node,       ///< Those that are not marked as plain.
  plain,      ///< Those that are.
  attribute,  ///< As `plain`, and so are ordinary values that nobody marked.
};

bool is_ordinary(Kind kind) {
  return kind == Kind::none || kind == Kind::boolean || kind == Kind::integer ||
         kind == Kind::floating || kind == Kind::string || kind == Kind::list || kind == Kind::dict;
}

void refuse(bool asked, std::string_view option) {
  if (asked)
    throw Error(ErrorCode::invalid_argument, "JSON cannot be saved in this way",
                {.found = "SaveOptions::" + std::string(option),
                 .advice = "Leave the option out, or save as safestructures"});
}

class Writer {
 public:
  Writer(Sink& sink, const SaveOptions& options, const JsonOptions& json)
      : options_(options),
        dtypes_(options.precision),
        form_(json.tensors),
        out_(sink, json.indent),
        text_(out_.text()) {}

  std::vector<ConvertedTensor> write(const Value& root) {
    const bool has_envelope = !options_.metadata.empty() || !options_.extra_tensors.empty();
    if (has_envelope) {
      begin_envelope();
      member(root_name, true);
    }
    value(root, Context::node, nullptr);
    if (has_envelope) out_.close('}');
    if (out_.is_pretty()) text_ += '\n';
    out_.send();
    return std::move(conversions_);
  }

 private:
  [[noreturn]] static void fail(ErrorCode code, std::string problem, const Trace* trace,
                                std::string expected, std::string found = {}) {
    throw Error(
        code, std::move(problem),
        {.path = to_string(trace), .expected = std::move(expected), .found = std::move(found)});
  }

  void string(std::string_view text, const Trace* trace) {
    const std::size_t bad = append_string(text_, text);
    if (bad != std::string_view::npos)
      throw Error(
          ErrorCode::invalid_utf8, "a string is not UTF-8",
          {.path = to_string(trace),
           .found = "a malformed sequence at byte " + std::to_string(bad) + " of the string",
           .advice = "Store binary data as bytes, for example std::vector<std::byte>"});
  }

  /// The name of a member that is ours, on the line or on the next. The first opens the object.
  void member(std::string_view name, bool on_own_line = false) {
    if (on_own_line) {
      text_ += ',';
      out_.line();
    } else if (name.starts_with('$') && mark_of(name)) {
      text_ += '{';
    } else {
      out_.comma();
    }
    text_.append(1, '"').append(name) += '"';
    out_.colon();
  }

  void begin_envelope() {
    out_.open('{');
    out_.line();
    text_.append(1, '"').append(envelope_name) += '"';
    out_.colon();
    out_.open('{');
    bool first = true;
    const auto begin_member = [&](std::string_view name) {
      if (!std::exchange(first, false)) text_ += ',';
      out_.line();
      text_.append(1, '"').append(name) += '"';
      out_.colon();
      out_.open('{');
    };
    if (!options_.metadata.empty()) {
      begin_member(metadata_name);
      bool first_text = true;
      for (const auto& [name, text] : options_.metadata) {
        const Trace trace{nullptr, name};
        next_line(first_text);
        string(name, &trace);
        out_.colon();
        string(text, &trace);
        out_.pass_on();
      }
      out_.close('}');
    }
    if (!options_.extra_tensors.empty()) {
      begin_member(tensors_name);
      bool first_tensor = true;
      for (const auto& [name, tensor] : options_.extra_tensors) {
        const Trace trace{nullptr, name};
        next_line(first_tensor);
        string(name, &trace);
        out_.colon();
        check_tensor(tensor, tensor.dtype(), &trace);
        names_.enter(name, tensor, tensor.dtype());
        begin_tensor(tensor.dtype());
        elements(tensor, tensor.dtype(), name);
      }
      out_.close('}');
    }
    out_.close('}');
  }

  void next_line(bool& first) {
    if (!std::exchange(first, false)) text_ += ',';
    out_.line();
  }

  /// One level down, for as long as it lives.
  class Level {
   public:
    Level(Writer& writer, const Trace* trace) : writer_(writer) {
      if (++writer_.depth_ > writer_.options_.limits.depth)
        fail(
            ErrorCode::limit_exceeded, "a structure is nested too deep", trace,
            "at most " + std::to_string(writer_.options_.limits.depth) + " levels (Limits::depth)");
    }
    ~Level() { --writer_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Writer& writer_;
  };

  void value_at(const Value& item, Context context, const Trace& trace) {
    const Level level(*this, &trace);
    value(item, context, &trace);
  }

  // Recursive over the tree, to Limits::depth.
  void value(const Value& item, Context context, const Trace* trace) {
    if (++nodes_ > options_.limits.nodes)
      fail(ErrorCode::limit_exceeded, "a structure has too many nodes", trace,
           "at most " + std::to_string(options_.limits.nodes) + " (Limits::nodes)");
    const bool is_plain =
        item.is_plain() || (context == Context::attribute && is_ordinary(item.kind()));
    if (is_plain == (context != Context::node)) {
      bare(item, context, trace);
    } else {
      member(name_of(is_plain ? Mark::plain : Mark::node));
      bare(item, is_plain ? Context::plain : Context::node, trace);
      text_ += '}';
    }
    out_.pass_on();
  }

  void bare(const Value& item, Context context, const Trace* trace) {
    switch (item.kind()) {
      case Kind::none: text_ += "null"; break;
      case Kind::boolean: text_ += item.as_bool() ? "true" : "false"; break;
      case Kind::integer: integer(item, trace); break;
      case Kind::floating: floating(item.as_double()); break;
      case Kind::complex: complex(item.as_complex()); break;
      case Kind::string: string(item.as_string(), trace); break;
      case Kind::bytes:
      case Kind::tensor: tensor(item, trace); break;
      case Kind::list:
      case Kind::tuple:
      case Kind::set: sequence(item, context, trace); break;
      case Kind::dict: dict(item, context, trace); break;
      case Kind::structure: structure(item, context, trace); break;
      case Kind::custom: custom(item, trace); break;
    }
  }

  void integer(const Value& item, const Trace* trace) {
    const std::string digits = item.integer_text();
    const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
    if (count > options_.limits.digits)
      fail(ErrorCode::limit_exceeded, "an int has too many digits", trace,
           "at most " + std::to_string(options_.limits.digits) + " (Limits::digits)",
           std::to_string(count));
    text_ += digits;
  }

  void floating(double number) {
    if (std::isfinite(number)) return detail::append_float(text_, number);
    member(name_of(Mark::floating));
    append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(number));
    text_ += '}';
  }

  void complex(std::complex<double> number) {
    member(name_of(Mark::complex));
    text_ += '[';
    append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(number.real()));
    out_.comma();
    append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(number.imag()));
    text_ += "]}";
  }

  [[nodiscard]] bool has_attributes(const Value& item) const {
    return (options_.extensions || item.kind() == Kind::custom) && !item.attributes().empty();
  }
  [[nodiscard]] bool has_extras(const Value& item) const {
    return has_attributes(item) || !item.type_name().empty();
  }

  /// Type name and attributes, but of structs and custom values only the attributes.
  void extras(const Value& item, const Trace* trace) {
    const bool has_class = item.kind() == Kind::structure || item.kind() == Kind::custom;
    if (!item.type_name().empty() && !has_class) {
      member(type_name);
      string(item.type_name(), trace);
    }
    if (!has_attributes(item) && !(item.kind() == Kind::tensor && options_.extensions)) return;
    const auto original =
        item.kind() == Kind::tensor ? dtypes_.original(item) : std::optional<std::string_view>();
    bool first = true;
    const auto begin = [&](std::string_view name, const Trace* of) {
      if (std::exchange(first, false)) {
        member(attributes_name, item.kind() == Kind::structure);
        text_ += '{';
      } else {
        out_.comma();
      }
      string(name, of);
      out_.colon();
    };
    if (item.attributes().size() > options_.limits.attributes)
      fail(ErrorCode::limit_exceeded, "a node has too many extension fields", trace,
           "at most " + std::to_string(options_.limits.attributes) + " (Limits::attributes)",
           std::to_string(item.attributes().size()));
    for (const Entry& entry : item.attributes()) {
      if (detail::StoredDTypes::is_note(item, entry)) continue;  // Written below.
      const Trace step{trace, entry.key.as_string()};
      begin(entry.key.as_string(), &step);
      value_at(entry.value, Context::attribute, step);
    }
    if (original) {
      begin(attributes::dtype, trace);
      string(*original, trace);
    }
    if (!first) text_ += '}';
  }

  /// Scalars only, which then stand on one line.
  static bool is_short(const Value& item) {
    return std::ranges::all_of(item.items(),
                               [](const Value& part) { return part.kind() < Kind::complex; });
  }

  void sequence(const Value& item, Context context, const Trace* trace) {
    const Mark mark = item.kind() == Kind::list    ? Mark::list
                      : item.kind() == Kind::tuple ? Mark::tuple
                                                   : Mark::set;
    const bool is_marked = mark != Mark::list || has_extras(item);
    if (is_marked) member(name_of(mark));
    const bool on_lines = !is_short(item);
    out_.open('[');
    std::size_t index = 0;
    for (const Value& part : item.items()) {
      if (index > 0) on_lines ? void(text_ += ',') : out_.comma();
      if (on_lines) out_.line();
      value_at(part, context, Trace{trace, {}, index++});
    }
    close(']', on_lines);
    if (!is_marked) return;
    extras(item, trace);
    text_ += '}';
  }

  void close(char bracket, bool on_lines) {
    if (on_lines) return out_.close(bracket);
    out_.leave();
    text_ += bracket;
  }

  void dict(const Value& item, Context context, const Trace* trace) {
    const auto is_natural = [](const Entry& entry) {
      return entry.key.kind() == Kind::string && !entry.key.is_plain() &&
             !entry.key.as_string().starts_with('$');
    };
    if (!has_extras(item) && std::ranges::all_of(item.entries(), is_natural)) {
      out_.open('{');
      bool first = true;
      for (const Entry& entry : item.entries()) {
        next_line(first);
        field(entry, context, trace);
      }
      return close('}', !first);
    }
    member(name_of(Mark::dict));
    out_.open('[');
    bool first = true;
    for (const Entry& entry : item.entries()) {
      next_line(first);
      pair(entry, context, trace);
    }
    close(']', !first);
    extras(item, trace);
    text_ += '}';
  }

  void field(const Entry& entry, Context context, const Trace* trace) {
    const Trace step{trace, entry.key.as_string()};
    string(entry.key.as_string(), &step);
    out_.colon();
    value_at(entry.value, context, step);
  }

  void pair(const Entry& entry, Context context, const Trace* trace) {
    const std::string label = entry.key.key_label();
    const Trace step{trace, label};
    text_ += '[';
    // What is in a key has no place of its own that could name a tensor.
    const bool outer = std::exchange(in_key_, true);
    value_at(entry.key, Context::node, step);
    in_key_ = outer;
    if (entry.key.kind() > Kind::string && label != detail::python_str(entry.key)) {
      out_.comma();
      string(label, &step);
    }
    out_.comma();
    value_at(entry.value, context, step);
    text_ += ']';
  }

  void structure(const Value& item, Context context, const Trace* trace) {
    const detail::StoredDTypes::Below below(dtypes_, item);
    out_.open('{');
    out_.line();
    text_.append(1, '"').append(name_of(Mark::structure)) += '"';
    out_.colon();
    string(options_.extensions ? std::string_view(item.type_name()) : std::string_view(), trace);
    const bool is_hidden = std::ranges::any_of(
        item.entries(), [](const Entry& entry) { return entry.key.as_string().starts_with('$'); });
    if (is_hidden) {
      member(fields_name, true);
      out_.open('{');
    }
    bool first = is_hidden;
    for (const Entry& entry : item.entries()) {
      next_line(first);
      field(entry, context, trace);
    }
    if (is_hidden) out_.close('}');
    extras(item, trace);
    out_.close('}');
  }

  void custom(const Value& item, const Trace* trace) {
    member(name_of(Mark::custom));
    string(item.type_name(), trace);
    member(value_name);
    {
      const Level level(*this, trace);
      value(item.payload(), Context::node, trace);
    }
    extras(item, trace);
    text_ += '}';
  }

  void check_tensor(const Tensor& tensor, DType stored, const Trace* trace) const {
    if (tensor.rank() > options_.limits.rank)
      fail(ErrorCode::limit_exceeded, "a tensor has too many dimensions", trace,
           "at most " + std::to_string(options_.limits.rank) + " (Limits::rank)",
           std::to_string(tensor.rank()));
    if (names_.size() >= options_.limits.tensors)
      fail(ErrorCode::limit_exceeded, "a structure has too many tensors", trace,
           "at most " + std::to_string(options_.limits.tensors) + " (Limits::tensors)");
    try {
      static_cast<void>(byte_size(stored, tensor.shape()));
    } catch (const Error& error) {
      throw error.with_path(to_string(trace));
    }
  }

  void begin_tensor(DType dtype) {
    member(name_of(Mark::tensor));
    text_.append(1, '"').append(to_string(dtype)) += '"';
  }

  /// Shape and elements, to the end of the object.
  void elements(const Tensor& tensor, DType stored, const std::string& name) {
    member(shape_name);
    text_ += '[';
    for (std::size_t i = 0; i < tensor.rank(); ++i) {
      if (i > 0) out_.comma();
      text_ += std::to_string(tensor.shape()[i]);
    }
    text_ += ']';
    member(data_name);
    const ConversionReport report = write_elements(out_, tensor, stored, options_.overflow, form_);
    text_ += '}';
    if (report == ConversionReport{}) return;
    if (options_.lossless) detail::fail_lossy(name, tensor.dtype(), stored, report);
    conversions_.push_back({name, report});
  }

  void tensor(const Value& item, const Trace* trace) {
    const Tensor& tensor = item.tensor();
    const DType stored = dtypes_.of(item);
    const Mark mark = item.kind() == Kind::bytes ? Mark::bytes : Mark::tensor;
    const std::string& given = item.tensor_name();
    if (!given.empty()) {
      const NamedTensors::Known* known = names_.find(given);
      if (known != nullptr && known->stored == stored && detail::same_view(known->tensor, tensor) &&
          !options_.extra_tensors.contains(given) &&
          std::find(unfinished_.begin(), unfinished_.end(), given) == unfinished_.end()) {
        member(name_of(mark));
        text_ += out_.is_pretty() ? "{\"same\": " : "{\"same\":";
        string(given, trace);
        text_ += '}';
        extras(item, trace);
        text_ += '}';
        return;
      }
    }
    check_tensor(tensor, stored, trace);
    const std::string name = enter(given, tensor, stored, trace);
    if (mark == Mark::tensor) {
      begin_tensor(stored);
    } else {
      member(name_of(mark));
      write_base64(out_, tensor);
    }
    if (in_key_ || name != place_name(trace)) {
      member(tensor_name);
      string(name, trace);
    }
    unfinished_.push_back(name);
    extras(item, trace);
    unfinished_.pop_back();
    try {
      if (mark == Mark::tensor) elements(tensor, stored, name);
      else text_ += '}';
    } catch (const Error& error) {
      throw error.with_path(to_string(trace));
    }
  }

  /// Enters a tensor under a name of its own and returns that name.
  std::string enter(const std::string& given, const Tensor& tensor, DType stored,
                    const Trace* trace) {
    const bool is_numbered = options_.tensor_names == safestructures::TensorNames::numbers;
    std::string name = !given.empty() ? given
                       : is_numbered  ? std::to_string(tensors_)
                                      : place_name(trace);
    ++tensors_;
    if (options_.extra_tensors.contains(name))
      fail(ErrorCode::duplicate_name, "two tensors have the same name", trace, {},
           "'" + name + "' in the structure and in SaveOptions::extra_tensors");
    name = names_.distinct(std::move(name));
    names_.enter(name, tensor, stored);
    return name;
  }

  const SaveOptions& options_;
  detail::StoredDTypes dtypes_;
  JsonTensors form_;
  Output out_;
  std::string& text_;
  NamedTensors names_;
  std::vector<ConvertedTensor> conversions_;
  // Names of tensors whose attributes are being written: readers do not know them yet.
  std::vector<std::string> unfinished_;
  bool in_key_ = false;
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t tensors_ = 0;
};

}  // namespace

SaveReport write(const Value& root, Sink& sink, const SaveOptions& options,
                 const JsonOptions& json_options) {
  refuse(!options.schema, "schema = false");
  refuse(options.checksums, "checksums");
  refuse(options.shard_size != 0, "shard_size");
  SaveReport report;
  const std::uint64_t begin = sink.position();
  report.conversions = Writer(sink, options, json_options).write(root);
  sink.flush();
  report.bytes = sink.position() - begin;
  return report;
}

}  // namespace safestructures::json
