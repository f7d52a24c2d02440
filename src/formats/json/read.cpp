#include "formats/json/read.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include "data/dict.hpp"
#include "formats/json/base64.hpp"
#include "formats/json/elements.hpp"
#include "formats/json/names.hpp"
#include "formats/json/tensor_read.hpp"

namespace safestructures::json {
namespace {

/// How many brackets may be open: a level of values takes four at most, `{"$plain": {"$dict": [[`,
/// and what a custom value holds is a level too.
std::uint64_t bracket_depth(const Limits& limits) {
  return std::uint64_t{limits.depth} * 4 + limits.rank + 8;
}

/// What many objects have beside what they stand for.
struct Extras {
  struct Attribute {
    std::string name;
    Value value;
    std::uint64_t offset;
  };
  std::optional<std::string> type;
  std::optional<std::string> name;
  std::optional<std::vector<Attribute>> attributes;
};

class Reader {
 public:
  Reader(std::string_view text, const LoadOptions& options)
      : limits_(options.limits),
        size_(text.size()),
        cursor_(
            text,
            {.what = "the text", .depth = bracket_depth(options.limits), .python_numbers = true}) {}

  Content read() {
    Content content;
    content.description = "JSON";
    cursor_.next();
    content.root = value(false, nullptr, &content);
    cursor_.next();
    content.tensor_count = names_.size();
    content.tensor_bytes = tensor_bytes_;
    return content;
  }

 private:
  // Errors get their path on the way up, from the innermost place on.
  [[noreturn]] void fail(ErrorCode code, std::string problem, std::string expected = {},
                         std::string found = {}, std::string advice = {}) const {
    throw Error(code, std::move(problem),
                {.expected = std::move(expected),
                 .found = std::move(found),
                 .advice = std::move(advice),
                 .offset = cursor_.offset()});
  }
  [[noreturn]] void wrong(Mark mark, std::string expected) const {
    fail(ErrorCode::invalid_schema, "a " + std::string(name_of(mark)) + " has the wrong form",
         std::move(expected), std::string(describe(cursor_.token())));
  }
  void expect(Token token, Mark mark, std::string_view expected) const {
    if (cursor_.token() != token) wrong(mark, std::string(expected));
  }
  static std::string in_quotes(std::string_view name) {
    return "'" + std::string(name.substr(0, 60)) + (name.size() > 60 ? "..." : "") + "'";
  }
  [[noreturn]] void unknown_member(Mark mark) {
    fail(ErrorCode::unknown_field,
         "a " + std::string(name_of(mark)) + " has a member that it cannot have", {},
         in_quotes(cursor_.string()));
  }
  [[noreturn]] void twice(std::string_view name, std::uint64_t offset) const {
    throw Error(ErrorCode::duplicate_name, "an object has a member twice",
                {.found = in_quotes(name), .offset = offset});
  }

  Value value_at(bool is_plain, const Trace& trace) {
    try {
      if (++depth_ > limits_.depth)
        fail(ErrorCode::limit_exceeded, "a structure is nested too deep",
             "at most " + std::to_string(limits_.depth) + " levels (Limits::depth)");
      Value result = value(is_plain, &trace, nullptr);
      --depth_;
      return result;
    } catch (const Error& error) {
      throw error.with_path(to_string(&trace));
    }
  }

  /// The value that the cursor stands on. Recursive, to Limits::depth.
  /// \param is_plain whether values are marked as plain where nothing else is said
  /// \param content of the root
  Value value(bool is_plain, const Trace* trace, Content* content) {
    if (++nodes_ > limits_.nodes)
      fail(ErrorCode::limit_exceeded, "a structure has too many nodes",
           "at most " + std::to_string(limits_.nodes) + " (Limits::nodes)");
    return bare(is_plain, trace, content, false);
  }

  /// \param is_wrapped whether `$plain` or `$node` stands around it
  Value bare(bool is_plain, const Trace* trace, Content* content, bool is_wrapped) {
    if (cursor_.token() != Token::object) return marked(simple(is_plain, trace), is_plain);
    if (cursor_.next() == Token::object_end) return marked(Value::dict(), is_plain);
    const std::string_view name = cursor_.string();
    if (!name.starts_with('$')) return marked(dict(is_plain, trace), is_plain);
    if (content != nullptr && name == envelope_name) return envelope(*content);
    const std::optional<Mark> mark = mark_of(name);
    if (!mark) return marked(dict(is_plain, trace), is_plain);
    if (*mark == Mark::plain || *mark == Mark::node) {
      if (is_wrapped || (*mark == Mark::plain) == is_plain)
        fail(ErrorCode::invalid_schema, "a " + std::string(name) + " stands where it says nothing",
             "it around a value that is not " + std::string(is_plain ? "plain" : "a node") +
                 " by its place");
      cursor_.next();
      Value result = bare(!is_plain, trace, nullptr, true);
      end_object(*mark);
      return result;
    }
    cursor_.next();
    return marked(special(*mark, is_plain, trace), is_plain);
  }

  static Value marked(Value value, bool is_plain) {
    return is_plain ? std::move(value).plain() : std::move(value);
  }

  /// What is no object.
  Value simple(bool is_plain, const Trace* trace) {
    switch (cursor_.token()) {
      case Token::null: return {};
      case Token::boolean: return cursor_.boolean();
      case Token::number: return number();
      case Token::string: return Value(std::string(cursor_.string()));
      case Token::array: return Value::list(items(is_plain, trace));
      default: fail(ErrorCode::invalid_schema, "the text is empty", "a value", "its end");
    }
  }

  Value number() {
    const std::string_view raw = cursor_.raw();
    if (!cursor_.is_integer()) {
      const double result = cursor_.number();
      if (std::isinf(result) && raw.back() != 'y')
        fail(ErrorCode::out_of_range, "a number is too large for a float", "at most 1.8e308",
             std::string(raw.substr(0, 40)));
      return result;
    }
    std::int64_t small = 0;
    if (std::from_chars(raw.data(), raw.data() + raw.size(), small).ec == std::errc()) return small;
    const std::size_t digits = raw.size() - (raw.front() == '-' ? 1 : 0);
    if (digits > limits_.digits)
      fail(ErrorCode::limit_exceeded, "an int has too many digits",
           "at most " + std::to_string(limits_.digits) + " (Limits::digits)",
           std::to_string(digits));
    return Value::integer(raw);
  }

  std::vector<Value> items(bool is_plain, const Trace* trace) {
    std::vector<Value> result;
    while (cursor_.next() != Token::array_end)
      result.push_back(value_at(is_plain, Trace{trace, {}, result.size()}));
    return result;
  }

  void insert(Value& container, Value key, Value item, const Trace& trace, std::uint64_t offset) {
    try {
      container.insert(std::move(key), std::move(item));
    } catch (const Error& error) {
      ErrorDetails details = error.details();
      details.path = to_string(&trace);
      details.offset = offset;
      throw Error(error.code(), error.problem(), std::move(details));
    }
  }

  /// A member of a dict or struct, whose name the cursor stands on.
  void member(Value& container, bool is_plain, const Trace* trace) {
    const std::uint64_t offset = cursor_.offset();
    const std::string name(cursor_.string());
    const Trace step{trace, name};
    cursor_.next();
    Value item = value_at(is_plain, step);
    insert(container, Value(name), std::move(item), step, offset);
  }

  /// An object as it is; the cursor stands on its first name.
  Value dict(bool is_plain, const Trace* trace) {
    Value result = Value::dict();
    do member(result, is_plain, trace);
    while (cursor_.next() == Token::name);
    return result;
  }

  Value special(Mark mark, bool is_plain, const Trace* trace) {
    switch (mark) {
      case Mark::floating: {
        const double result = part(mark);
        end_object(mark);
        return result;
      }
      case Mark::complex: return complex();
      case Mark::bytes: return bytes(trace);
      case Mark::list:
      case Mark::tuple:
      case Mark::set: return sequence(mark, is_plain, trace);
      case Mark::dict: return pairs(is_plain, trace);
      case Mark::structure: return structure(is_plain, trace);
      case Mark::tensor: return tensor(trace);
      default: return custom(trace);
    }
  }

  void end_object(Mark mark) {
    if (cursor_.next() != Token::object_end) unknown_member(mark);
  }

  double part(Mark mark) {
    const ParsedElement element = parse_element(DType::F64, cursor_);
    if (element.fault) wrong(mark, "a number that F64 can hold, \"inf\", \"nan\"");
    return std::bit_cast<double>(element.bits);
  }

  Value complex() {
    expect(Token::array, Mark::complex, "an array of two numbers");
    cursor_.next();
    const double real = part(Mark::complex);
    cursor_.next();
    const double imaginary = part(Mark::complex);
    if (cursor_.next() != Token::array_end) wrong(Mark::complex, "an array of two numbers");
    end_object(Mark::complex);
    return std::complex<double>(real, imaginary);
  }

  /// Takes a member that many objects have; false when it is none of them.
  bool extra(Extras& extras, Mark mark, const Trace* trace) {
    const std::uint64_t offset = cursor_.offset();
    const std::string_view name = cursor_.string();
    const bool is_tensor = mark == Mark::tensor || mark == Mark::bytes;
    const bool has_class = mark == Mark::structure || mark == Mark::custom;
    if (name == attributes_name) {
      if (extras.attributes) twice(name, offset);
      cursor_.next();
      read_attributes(extras.attributes.emplace(), mark, trace);
      return true;
    }
    const bool is_type = name == type_name && !has_class;
    if (!is_type && !(name == tensor_name && is_tensor)) return false;
    std::optional<std::string>& text = is_type ? extras.type : extras.name;
    if (text) twice(name, offset);
    if (cursor_.next() != Token::string) wrong(mark, "a string as its type or name");
    text = cursor_.string();
    return true;
  }

  void read_attributes(std::vector<Extras::Attribute>& attributes, Mark mark, const Trace* trace) {
    expect(Token::object, mark, "an object of attributes");
    while (cursor_.next() == Token::name) {
      if (attributes.size() >= limits_.attributes)
        fail(ErrorCode::limit_exceeded, "a node has too many extension fields",
             "at most " + std::to_string(limits_.attributes) + " (Limits::attributes)");
      Extras::Attribute attribute{std::string(cursor_.string()), {}, cursor_.offset()};
      cursor_.next();
      attribute.value = value_at(true, Trace{trace, attribute.name});
      attributes.push_back(std::move(attribute));
    }
  }

  /// The members behind what an object stands for, to its end.
  Extras extras_to_end(Mark mark, const Trace* trace) {
    Extras extras;
    while (cursor_.next() == Token::name)
      if (!extra(extras, mark, trace)) unknown_member(mark);
    return extras;
  }

  void apply(Extras extras, Value& value) {
    if (extras.type) value.set_type_name(*std::move(extras.type));
    if (!extras.attributes) return;
    for (Extras::Attribute& attribute : *extras.attributes) {
      if (value.attribute(attribute.name) != nullptr) twice(attribute.name, attribute.offset);
      value.set_attribute(attribute.name, std::move(attribute.value));
    }
  }

  Value sequence(Mark mark, bool is_plain, const Trace* trace) {
    expect(Token::array, mark, "an array");
    std::vector<Value> members = items(is_plain, trace);
    if (mark == Mark::set) {
      const std::size_t repeated = detail::find_repeated(members);
      if (repeated != detail::Dict::npos) {
        const Trace step{trace, {}, repeated};
        throw Error(ErrorCode::duplicate_name, "a set has an item twice",
                    {.path = to_string(&step), .offset = cursor_.offset()});
      }
    }
    Value result = mark == Mark::set     ? Value::set(std::move(members))
                   : mark == Mark::tuple ? Value::tuple(std::move(members))
                                         : Value::list(std::move(members));
    apply(extras_to_end(mark, trace), result);
    return result;
  }

  Value pairs(bool is_plain, const Trace* trace) {
    constexpr std::string_view form = "an array of arrays [key, value] or [key, label, value]";
    expect(Token::array, Mark::dict, form);
    Value result = Value::dict();
    while (cursor_.next() != Token::array_end) {
      const std::uint64_t offset = cursor_.offset();
      expect(Token::array, Mark::dict, form);
      if (cursor_.next() == Token::array_end) wrong(Mark::dict, std::string(form));
      Value key = value_at(false, Trace{trace, {}, result.size()});
      if (cursor_.next() == Token::array_end) wrong(Mark::dict, std::string(form));
      // A label is known by what follows it: it may be the value.
      if (key.kind() > Kind::string && cursor_.token() == Token::string) {
        std::string label(cursor_.string());
        const Trace step{trace, label};
        if (cursor_.next() == Token::array_end) {
          count_string();
          insert(result, std::move(key), marked(Value(label), is_plain), step, offset);
          continue;
        }
        key.set_key_label(label);
        pair_value(result, std::move(key), is_plain, step, offset);
        continue;
      }
      const std::string label = key.key_label();
      pair_value(result, std::move(key), is_plain, Trace{trace, label}, offset);
    }
    apply(extras_to_end(Mark::dict, trace), result);
    return result;
  }

  void count_string() {
    if (++nodes_ > limits_.nodes)
      fail(ErrorCode::limit_exceeded, "a structure has too many nodes",
           "at most " + std::to_string(limits_.nodes) + " (Limits::nodes)");
  }

  void pair_value(Value& dict, Value key, bool is_plain, const Trace& step, std::uint64_t offset) {
    Value item = value_at(is_plain, step);
    if (cursor_.next() != Token::array_end)
      wrong(Mark::dict, "an array of arrays [key, value] or [key, label, value]");
    insert(dict, std::move(key), std::move(item), step, offset);
  }

  Value structure(bool is_plain, const Trace* trace) {
    expect(Token::string, Mark::structure, "the name of a class");
    Value result = Value::structure(std::string(cursor_.string()));
    Extras extras;
    bool has_fields = false;
    while (cursor_.next() == Token::name) {
      const std::string_view name = cursor_.string();
      if (!name.starts_with('$')) {
        member(result, is_plain, trace);
      } else if (name == fields_name) {
        if (std::exchange(has_fields, true)) twice(name, cursor_.offset());
        if (cursor_.next() != Token::object) wrong(Mark::structure, "an object of fields");
        while (cursor_.next() == Token::name) member(result, is_plain, trace);
      } else if (!extra(extras, Mark::structure, trace)) {
        unknown_member(Mark::structure);
      }
    }
    apply(std::move(extras), result);
    return result;
  }

  Value custom(const Trace* trace) {
    expect(Token::string, Mark::custom, "the name of a type");
    const std::string type(cursor_.string());
    std::optional<Value> payload;
    Extras extras;
    while (cursor_.next() == Token::name) {
      if (cursor_.string() == value_name) {
        if (payload) twice(value_name, cursor_.offset());
        cursor_.next();
        if (++depth_ > limits_.depth)
          fail(ErrorCode::limit_exceeded, "a structure is nested too deep",
               "at most " + std::to_string(limits_.depth) + " levels (Limits::depth)");
        payload = value(false, trace, nullptr);
        --depth_;
      } else if (!extra(extras, Mark::custom, trace)) {
        unknown_member(Mark::custom);
      }
    }
    if (!payload) fail(ErrorCode::invalid_schema, "a $custom has no value");
    Value result = Value::custom(type, *std::move(payload));
    apply(std::move(extras), result);
    return result;
  }

  /// Gives a tensor its name, for which it is known from here on.
  void enter(Value& value, std::optional<std::string> name, const Trace* trace) {
    if (names_.size() >= limits_.tensors)
      fail(ErrorCode::limit_exceeded, "a structure has too many tensors",
           "at most " + std::to_string(limits_.tensors) + " (Limits::tensors)");
    if (name && names_.find(*name) != nullptr)
      fail(ErrorCode::duplicate_name, "two tensors have the same name", {}, in_quotes(*name),
           "Refer to the first by {\"same\": name}, or give each a name of its own");
    if (!name) name = names_.distinct(place_name(trace));
    names_.enter(*name, value.tensor(), value.tensor().dtype());
    tensor_bytes_ += value.tensor().byte_size();
    value.set_tensor_name(*std::move(name));
  }

  /// The tensor that `{"same": name}` refers to, whose brace the cursor stands on.
  Tensor same(Mark mark, std::string& name) {
    if (cursor_.next() != Token::name || cursor_.string() != same_name ||
        cursor_.next() != Token::string)
      wrong(mark, mark == Mark::tensor ? "a dtype, or {\"same\": name}"
                                       : "base64 in a string, or {\"same\": name}");
    name = cursor_.string();
    const NamedTensors::Known* known = names_.find(name);
    if (known == nullptr)
      fail(ErrorCode::missing_tensor, "no tensor before this one has the name that it refers to",
           {}, in_quotes(name));
    count_again(known->tensor);
    if (cursor_.next() != Token::object_end) unknown_member(mark);
    return known->tensor;
  }

  void count_again(const Tensor& tensor) {
    constexpr std::uint64_t always_allowed = std::uint64_t{1} << 30U;
    // Saturated, as a limit may be any number.
    const std::uint64_t most = size_ == 0 || limits_.repeats <= UINT64_MAX / size_
                                   ? std::max(size_ * limits_.repeats, always_allowed)
                                   : UINT64_MAX;
    if (tensor.byte_size() > most - again_)
      fail(ErrorCode::limit_exceeded, "a structure refers to the same tensors too often",
           "at most " + std::to_string(most) + " bytes of repeated tensors (Limits::repeats)");
    again_ += tensor.byte_size();
  }

  Value bytes(const Trace* trace) {
    if (cursor_.token() == Token::object) {
      std::string name;
      Tensor tensor = same(Mark::bytes, name);
      if (tensor.dtype() != DType::U8 || tensor.rank() != 1)
        fail(ErrorCode::invalid_schema, "bytes refer to a tensor of another kind",
             "U8 of one dimension",
             std::string(to_string(tensor.dtype())) + " " + to_string(tensor.shape()));
      Value result = Value::bytes(std::move(tensor));
      result.set_tensor_name(std::move(name));
      apply(extras_to_end_unnamed(Mark::bytes, trace), result);
      return result;
    }
    expect(Token::string, Mark::bytes, "base64 in a string, or {\"same\": name}");
    const std::string_view text = cursor_.raw();
    std::vector<std::byte> content(base64_bound(text.size()));
    std::size_t bad = 0;
    const auto size = decode_base64(text, content.data(), bad);
    if (!size)
      throw Error(ErrorCode::invalid_schema, "a text is not base64",
                  {.expected = "digits of base64, padded with '='",
                   .found = bad == text.size() ? "its end" : show_byte(text[bad]),
                   .offset = cursor_.offset() + 1 + bad});
    content.resize(*size);
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(content));
    Value result = Value::bytes(Tensor::share(DType::U8, Shape{owner->size()}, *owner, owner));
    Extras extras = extras_to_end(Mark::bytes, trace);
    enter(result, std::exchange(extras.name, std::nullopt), trace);
    apply(std::move(extras), result);
    return result;
  }

  Extras extras_to_end_unnamed(Mark mark, const Trace* trace) {
    Extras extras = extras_to_end(mark, trace);
    if (extras.name)
      fail(ErrorCode::invalid_schema, "a tensor that refers to another has a name of its own", {},
           in_quotes(*extras.name));
    return extras;
  }

  Value tensor(const Trace* trace) {
    if (cursor_.token() == Token::object) {
      std::string name;
      Value result(same(Mark::tensor, name));
      result.set_tensor_name(std::move(name));
      apply(extras_to_end_unnamed(Mark::tensor, trace), result);
      return result;
    }
    Extras extras;
    Value result(dense(trace, &extras));
    enter(result, std::exchange(extras.name, std::nullopt), trace);
    apply(std::move(extras), result);
    return result;
  }

  /// A tensor, whose dtype the cursor stands on. \param extras null where it can have none
  Tensor dense(const Trace* trace, Extras* extras) {
    expect(Token::string, Mark::tensor, "a dtype, or {\"same\": name}");
    const std::optional<DType> dtype = parse_dtype(cursor_.string());
    if (!dtype)
      fail(ErrorCode::unknown_dtype, "a tensor has an unknown dtype", {},
           in_quotes(cursor_.string()));
    ElementReader elements(cursor_, *dtype, limits_, trace);
    bool has_shape = false;
    bool has_data = false;
    while (cursor_.next() == Token::name) {
      const std::uint64_t offset = cursor_.offset();
      const std::string_view name = cursor_.string();
      if (name == shape_name) {
        if (std::exchange(has_shape, true)) twice(name, offset);
        cursor_.next();
        elements.read_shape();
      } else if (name == data_name) {
        if (std::exchange(has_data, true)) twice(name, offset);
        cursor_.next();
        elements.read_data();
      } else if (extras == nullptr || !extra(*extras, Mark::tensor, trace)) {
        unknown_member(Mark::tensor);
      }
    }
    return elements.finish();
  }

  /// The root with what goes with it; the cursor stands on the envelope's name.
  Value envelope(Content& content) {
    constexpr std::string_view problem = "a $safestructures has the wrong form";
    const auto wrong_form = [&](std::string expected) {
      fail(ErrorCode::invalid_schema, std::string(problem), std::move(expected),
           cursor_.token() == Token::name ? in_quotes(cursor_.string())
                                          : std::string(describe(cursor_.token())));
    };
    if (cursor_.next() != Token::object) wrong_form("an object with metadata and tensors");
    bool has_metadata = false;
    bool has_tensors = false;
    while (cursor_.next() == Token::name) {
      const std::string_view name = cursor_.string();
      const bool is_metadata = name == metadata_name;
      if (!is_metadata && name != tensors_name) wrong_form("metadata and tensors only");
      if (std::exchange(is_metadata ? has_metadata : has_tensors, true))
        twice(name, cursor_.offset());
      if (cursor_.next() != Token::object)
        wrong_form(is_metadata ? "an object of texts" : "an object of tensors");
      while (cursor_.next() == Token::name) {
        const std::string member(cursor_.string());
        const Trace step{nullptr, member};
        try {
          if (is_metadata) read_metadata(content, member);
          else read_extra_tensor(content, member, &step);
        } catch (const Error& error) {
          throw error.with_path(to_string(&step));
        }
      }
    }
    if (cursor_.next() != Token::name || cursor_.string() != root_name)
      wrong_form("'root' behind it");
    cursor_.next();
    Value root = bare(false, nullptr, nullptr, false);
    if (cursor_.next() != Token::object_end) wrong_form("nothing behind 'root'");
    return root;
  }

  void read_metadata(Content& content, const std::string& name) {
    const std::uint64_t offset = cursor_.offset();
    if (cursor_.next() != Token::string)
      fail(ErrorCode::invalid_metadata, "a text of the metadata is no string", "a string",
           std::string(describe(cursor_.token())));
    if (!content.metadata.emplace(name, cursor_.string()).second) twice(name, offset);
  }

  void read_extra_tensor(Content& content, const std::string& name, const Trace* step) {
    if (cursor_.next() != Token::object || cursor_.next() != Token::name ||
        cursor_.string() != name_of(Mark::tensor))
      fail(ErrorCode::invalid_schema, "a tensor beside the structure has the wrong form",
           "an object that begins with $tensor", std::string(describe(cursor_.token())));
    cursor_.next();
    Value tensor(dense(step, nullptr));
    enter(tensor, name, step);
    content.extra_tensors.emplace_back(name, tensor.tensor());
  }

  const Limits& limits_;
  std::uint64_t size_;
  Cursor cursor_;
  NamedTensors names_;
  std::uint64_t tensor_bytes_ = 0;
  std::uint64_t again_ = 0;  // Bytes of repeated references.
  std::uint64_t nodes_ = 0;
  std::uint32_t depth_ = 0;
};

/// The whole text: a view where that is possible, and asked for.
SharedBytes text_of(const Source& source, Access access) {
  const auto size = static_cast<std::size_t>(source.size());
  if (access == Access::map || source.is_in_memory()) return source.view(0, size);
  auto owner = std::make_shared<std::vector<std::byte>>(size);
  source.read(0, *owner);
  const std::span<const std::byte> bytes = *owner;
  return {bytes, std::move(owner)};
}

}  // namespace

Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  if (options.verify_checksums)
    throw Error(ErrorCode::checksum_mismatch, "the file has no checksums",
                {.advice = "Save it as safestructures with SaveOptions::checksums, or load it "
                           "without LoadOptions::verify_checksums"});
  const SharedBytes text = text_of(*source, options.access);
  try {
    Reader reader({reinterpret_cast<const char*>(text.bytes.data()), text.bytes.size()}, options);
    Content content = reader.read();
    if (!source->name().empty()) content.files.emplace_back(source->name());
    return content;
  } catch (const Error& error) {
    throw error.with_path("/");
  }
}

}  // namespace safestructures::json
