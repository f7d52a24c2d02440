#include "formats/tree/write.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/dict.hpp"
#include "data/limit.hpp"
#include "data/text/number.hpp"
#include "formats/tree/writer.hpp"

namespace safestructures::inline v0::tree {
namespace {

bool is_ordinary(Kind kind) {
  return kind == Kind::none || kind == Kind::boolean || kind == Kind::integer ||
         kind == Kind::floating || kind == Kind::string || kind == Kind::list || kind == Kind::dict;
}

}  // namespace

std::vector<ConvertedTensor> Writer::write(const Value& root) {
  const bool has_envelope = !options_.metadata.empty() || !options_.extra_tensors.empty();
  if (has_envelope) {
    out_.begin_object(2, Layout::lines);
    key(envelope_name);
    envelope();
    key(root_name);
  }
  value(root, Context::node, nullptr);
  if (has_envelope) out_.end_object();
  out_.finish();
  return std::move(conversions_);
}

void Writer::begin(Mark mark, std::size_t members, Layout layout) {
  out_.begin_object(1 + members, layout);
  key(name_of(mark));
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
    begin(is_plain ? Mark::plain : Mark::node, 0);
    bare(item, is_plain ? Context::plain : Context::node, trace);
    out_.end_object();
  }
  out_.pass_on();
}

void Writer::bare(const Value& item, Context context, const Trace* trace) {
  switch (item.kind()) {
    case Kind::none: out_.null(); break;
    case Kind::boolean: out_.boolean(item.as_bool()); break;
    case Kind::integer: integer(item, trace); break;
    case Kind::floating: out_.floating(item.as_double()); break;
    case Kind::complex: complex(item.as_complex()); break;
    case Kind::string: out_.string(item.as_string(), trace); break;
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
  if (!item.as_int64() || options_.limits.digits < detail::most_small_digits) {
    const std::string digits = item.integer_text();
    const std::size_t count = digits.size() - (digits.starts_with('-') ? 1 : 0);
    if (count > options_.limits.digits)
      throw detail::past(detail::Limit::digits, options_.limits.digits,
                         {.path = to_string(trace), .found = std::to_string(count)});
    if (!out_.takes_integer(item)) {
      begin(Mark::integer, 0);
      out_.string(digits, trace);
      return out_.end_object();
    }
  }
  out_.integer(item);
}

void Writer::complex(std::complex<double> number) {
  begin(Mark::complex, 0);
  out_.begin_array(2, Layout::inline_);
  for (const double part : {number.real(), number.imag()}) {
    out_.begin_item();
    out_.part(part);
  }
  out_.end_array();
  out_.end_object();
}

Writer::Extras Writer::extras_of(const Value& item) const {
  Extras extras;
  const bool has_class = item.kind() == Kind::structure || item.kind() == Kind::custom;
  extras.has_type = !item.type_name().empty() && !has_class;
  if (!options_.extensions && item.kind() != Kind::custom) return extras;
  extras.attributes = item.attributes().size();
  if (item.kind() != Kind::tensor) return extras;
  extras.original = dtypes_.original(item);
  extras.attributes -=
      static_cast<std::size_t>(std::ranges::count_if(item.attributes(), [&](const Entry& entry) {
        return detail::StoredDTypes::is_note(item, entry);
      }));
  extras.attributes += extras.original ? 1U : 0U;
  return extras;
}

void Writer::write_extras(const Value& item, const Extras& extras, const Trace* trace) {
  if (extras.has_type) {
    key(type_name);
    out_.string(item.type_name(), trace);
  }
  if (extras.attributes == 0) return;
  if (extras.attributes > options_.limits.attributes)
    throw detail::past(detail::Limit::attributes, options_.limits.attributes,
                       {.path = to_string(trace), .found = std::to_string(extras.attributes)});
  key(attributes_name);
  out_.begin_object(extras.attributes, Layout::inline_);
  for (const Entry& entry : item.attributes()) {
    if (detail::StoredDTypes::is_note(item, entry)) continue;  // Written below.
    const Trace step{trace, entry.key.as_string()};
    out_.key(entry.key.as_string(), &step);
    value_at(entry.value, Context::attribute, step);
  }
  if (extras.original) {
    out_.key(attributes::dtype, trace);
    out_.string(*extras.original, trace);
  }
  out_.end_object();
}

bool Writer::is_short(const Value& item) {
  return std::ranges::all_of(item.items(),
                             [](const Value& part) { return part.kind() < Kind::complex; });
}

void Writer::sequence(const Value& item, Context context, const Trace* trace) {
  const Mark mark = item.kind() == Kind::list    ? Mark::list
                    : item.kind() == Kind::tuple ? Mark::tuple
                                                 : Mark::set;
  if (mark == Mark::set) {
    const std::size_t repeated = detail::find_repeated(item.items(), digest_);
    if (repeated != detail::Dict::npos) throw detail::repeated_item(item.items(), repeated, trace);
  }
  const Extras extras = extras_of(item);
  const bool is_marked = mark != Mark::list || extras.members() > 0;
  if (is_marked) begin(mark, extras.members());
  out_.begin_array(item.items().size(), is_short(item) ? Layout::inline_ : Layout::lines);
  std::size_t index = 0;
  for (const Value& part : item.items()) {
    out_.begin_item();
    value_at(part, context, Trace{trace, {}, index++});
  }
  out_.end_array();
  if (!is_marked) return;
  write_extras(item, extras, trace);
  out_.end_object();
}

void Writer::dict(const Value& item, Context context, const Trace* trace) {
  const auto is_natural = [&](const Entry& entry) {
    if (entry.key.is_plain()) return false;
    if (entry.key.kind() != Kind::string) return out_.takes_key(entry.key);
    return !entry.key.as_string().starts_with('$');
  };
  const Extras extras = extras_of(item);
  if (extras.members() == 0 && std::ranges::all_of(item.entries(), is_natural)) {
    out_.begin_object(item.size(), Layout::lines);
    for (const Entry& entry : item.entries()) field(entry, context, trace);
    return out_.end_object();
  }
  begin(Mark::dict, extras.members());
  out_.begin_array(item.size(), Layout::lines);
  for (const Entry& entry : item.entries()) {
    out_.begin_item();
    pair(entry, context, trace);
  }
  out_.end_array();
  write_extras(item, extras, trace);
  out_.end_object();
}

void Writer::field(const Entry& entry, Context context, const Trace* trace) {
  if (entry.key.kind() == Kind::string) {
    const Trace step{trace, entry.key.as_string()};
    out_.key(entry.key.as_string(), &step);
    return value_at(entry.value, context, step);
  }
  const std::string label = entry.key.key_label();
  const Trace step{trace, label};
  out_.begin_key();
  value_at(entry.key, Context::node, step);
  value_at(entry.value, context, step);
}

void Writer::pair(const Entry& entry, Context context, const Trace* trace) {
  const std::string label = entry.key.key_label();
  const Trace step{trace, label};
  const bool has_label = entry.key.kind() > Kind::string && label != detail::python_str(entry.key);
  out_.begin_array(has_label ? 3 : 2, Layout::inline_);
  out_.begin_item();
  // A tensor in a key has no place of its own to take its name from.
  const bool outer = std::exchange(in_key_, true);
  value_at(entry.key, Context::node, step);
  in_key_ = outer;
  if (has_label) {
    out_.begin_item();
    out_.string(label, &step);
  }
  out_.begin_item();
  value_at(entry.value, context, step);
  out_.end_array();
}

void Writer::structure(const Value& item, Context context, const Trace* trace) {
  const detail::StoredDTypes::Below below(dtypes_, item);
  const bool is_hidden = std::ranges::any_of(
      item.entries(), [](const Entry& entry) { return entry.key.as_string().starts_with('$'); });
  const Extras extras = extras_of(item);
  begin(Mark::structure, (is_hidden ? 1U : item.size()) + extras.members(), Layout::lines);
  out_.string(options_.extensions ? std::string_view(item.type_name()) : std::string_view(), trace);
  if (is_hidden) {
    key(fields_name);
    out_.begin_object(item.size(), Layout::lines);
  }
  for (const Entry& entry : item.entries()) field(entry, context, trace);
  if (is_hidden) out_.end_object();
  write_extras(item, extras, trace);
  out_.end_object();
}

void Writer::custom(const Value& item, const Trace* trace) {
  const Extras extras = extras_of(item);
  begin(Mark::custom, 1 + extras.members());
  out_.string(item.type_name(), trace);
  key(value_name);
  {
    const detail::Descent level(depth_, options_.limits.depth, trace);
    value(item.payload(), Context::node, trace);
  }
  write_extras(item, extras, trace);
  out_.end_object();
}

void check_options(std::string_view format, const SaveOptions& options) {
  const auto refuse = [&](bool asked, std::string_view option) {
    if (asked)
      throw Error(ErrorCode::invalid_argument,
                  std::string(format) + " does not support a save option",
                  {.found = "SaveOptions::" + std::string(option),
                   .advice = "Leave the option out, or save as safestructures"});
  };
  refuse(!options.schema, "schema = false");
  refuse(options.checksums, "checksums");
  refuse(options.shard_size != 0, "shard_size");
}

SaveReport write(const Value& root, Output& output, Sink& sink, const SaveOptions& options) {
  SaveReport report;
  const std::uint64_t begin = sink.position();
  Writer writer(output, options);
  report.conversions = writer.write(root);
  sink.flush();
  report.bytes = sink.position() - begin;
  const std::uint64_t most = detail::most_repeated(report.bytes, options.limits);
  if (writer.repeated() > most)
    throw detail::past(detail::Limit::repeats, most, {.found = std::to_string(writer.repeated())});
  return report;
}

}  // namespace safestructures::inline v0::tree
