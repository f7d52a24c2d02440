#include "formats/json/write.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/number.hpp"
#include "formats/json/elements.hpp"
#include "formats/json/writer.hpp"

namespace safestructures::inline v0::json {
namespace {

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

}  // namespace

std::vector<ConvertedTensor> Writer::write(const Value& root) {
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

void Writer::member(std::string_view name, bool on_own_line) {
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

void Writer::value_at(const Value& item, Context context, const Trace& trace) {
  const detail::Descent level(depth_, options_.limits.depth, &trace);
  value(item, context, &trace);
}

void Writer::value(const Value& item, Context context, const Trace* trace) {
  if (++nodes_ > options_.limits.nodes)
    throw detail::past(detail::Limit::nodes, options_.limits.nodes, {.path = to_string(trace)});
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

void Writer::bare(const Value& item, Context context, const Trace* trace) {
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

void Writer::integer(const Value& item, const Trace* trace) {
  const std::string digits = item.integer_text();
  const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
  if (count > options_.limits.digits)
    throw detail::past(detail::Limit::digits, options_.limits.digits,
                       {.path = to_string(trace), .found = std::to_string(count)});
  text_ += digits;
}

void Writer::floating(double number) {
  if (std::isfinite(number)) return detail::append_float(text_, number);
  member(name_of(Mark::floating));
  append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(number));
  text_ += '}';
}

void Writer::complex(std::complex<double> number) {
  member(name_of(Mark::complex));
  text_ += '[';
  append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(number.real()));
  out_.comma();
  append_element(text_, DType::F64, std::bit_cast<std::uint64_t>(number.imag()));
  text_ += "]}";
}

void Writer::extras(const Value& item, const Trace* trace) {
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
    throw detail::past(
        detail::Limit::attributes, options_.limits.attributes,
        {.path = to_string(trace), .found = std::to_string(item.attributes().size())});
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

bool Writer::is_short(const Value& item) {
  return std::ranges::all_of(item.items(),
                             [](const Value& part) { return part.kind() < Kind::complex; });
}

void Writer::sequence(const Value& item, Context context, const Trace* trace) {
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

void Writer::dict(const Value& item, Context context, const Trace* trace) {
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

void Writer::field(const Entry& entry, Context context, const Trace* trace) {
  const Trace step{trace, entry.key.as_string()};
  string(entry.key.as_string(), &step);
  out_.colon();
  value_at(entry.value, context, step);
}

void Writer::pair(const Entry& entry, Context context, const Trace* trace) {
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

void Writer::structure(const Value& item, Context context, const Trace* trace) {
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

void Writer::custom(const Value& item, const Trace* trace) {
  member(name_of(Mark::custom));
  string(item.type_name(), trace);
  member(value_name);
  {
    const detail::Descent level(depth_, options_.limits.depth, trace);
    value(item.payload(), Context::node, trace);
  }
  extras(item, trace);
  text_ += '}';
}

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

}  // namespace safestructures::inline v0::json
