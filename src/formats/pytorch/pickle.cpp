#include "formats/pytorch/pickle.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <safestructures/data/error.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"
#include "formats/binary/cursor.hpp"
#include "formats/binary/little_endian.hpp"
#include "formats/cbor/big_integer.hpp"

namespace safestructures::inline v0::pytorch {
namespace {

using binary::little_endian;

constexpr unsigned first_protocol = 2;
constexpr unsigned last_protocol = 5;
// Names are copied wherever they occur.
constexpr std::size_t longest_name = 1000;

// Objects that occur so often that they are made once.
constexpr Id none = 0;
constexpr Id yes = 1;
constexpr Id no = 2;

/// The machine that a pickle is a program for: a stack, marks in it, and a memo.
class Machine {
 public:
  Machine(binary::Window& window, std::uint64_t end, const Limits& limits)
      : window_(window), begin_(window.position()), end_(end), limits_(limits) {
    for (Value value : {Value(), Value(true), Value(false)}) add(std::move(value));
  }

  Pickle run() {
    for (;;) {
      at_ = window_.position();
      const auto code = static_cast<char>(take(1)[0]);
      if (code == '.') break;
      if (!scalar(code) && !container(code) && !memo(code) && !object(code)) fail_code(code);
    }
    pickle_.root = pop();
    if (!marks_.empty()) fail("the pickle ends before what it began");
    if (!stack_.empty())
      fail("the pickle ends with values that belong to nothing",
           {.found = detail::counted(stack_.size(), "value")});
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(std::string problem, ErrorDetails details = {},
                         ErrorCode code = ErrorCode::invalid_schema) const {
    details.offset = at_;
    throw Error(code, std::move(problem), std::move(details));
  }
  [[noreturn]] void fail_code(char code) const {
    fail("the pickle has an instruction that PyTorch does not write",
         {.expected = "one of protocols 2 to 5",
          .found = fmt::format("0x{:02X}", static_cast<unsigned char>(code)),
          .advice = "Load it with torch.load and save it again"});
  }

  std::span<const std::byte> take(std::uint64_t count) {
    const std::uint64_t at = window_.position();
    if (at > end_ || count > end_ - at)
      fail("the pickle ends inside an instruction",
           {.expected = detail::counted(count, "byte"),
            .found = std::to_string(end_ - std::min(at, end_)),
            .advice = "The file is not complete: copy or download it again"},
           ErrorCode::truncated);
    return window_.take(count);
  }
  std::uint64_t number(std::size_t width) { return little_endian(take(width)); }

  // Objects.

  Id add(Value value) { return add({.value = std::move(value), .parts = {}, .call = nullptr}); }
  Id add(ObjectKind kind, std::vector<Id> parts = {}) {
    return add({.kind = kind, .value = {}, .parts = std::move(parts), .call = nullptr});
  }
  Id add(Object object) {
    const std::uint64_t most = std::min<std::uint64_t>(limits_.nodes, no_object - 1);
    if (pickle_.objects.size() >= most)
      throw detail::past(detail::Limit::nodes, most, {.offset = at_});
    pickle_.objects.push_back(std::move(object));
    return static_cast<Id>(pickle_.objects.size() - 1);
  }
  bool push(Id id) {
    stack_.push_back(id);
    return true;
  }
  bool push(Value value) { return push(add(std::move(value))); }

  /// Returns the position of the first value that belongs to what is being read.
  [[nodiscard]] std::size_t floor() const noexcept { return marks_.empty() ? 0 : marks_.back(); }
  Id& top() {
    if (stack_.size() <= floor()) fail("the pickle takes a value that is not there");
    return stack_.back();
  }
  Id pop() {
    const Id id = top();
    stack_.pop_back();
    return id;
  }
  std::vector<Id> pop(std::size_t count) {
    if (stack_.size() - floor() < count) fail("the pickle takes a value that is not there");
    return pop_from(stack_.size() - count);
  }
  std::vector<Id> pop_from(std::size_t first) {
    std::vector<Id> ids(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    stack_.resize(first);
    return ids;
  }
  std::vector<Id> pop_to_mark() {
    if (marks_.empty()) fail("the pickle takes values up to a mark that is not there");
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return pop_from(mark);
  }

  // Numbers and text.

  Value text(std::uint64_t size) {
    const std::span<const std::byte> bytes = take(size);
    const std::string_view found(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (const auto bad = detail::find_invalid_wtf8(found))
      fail("a text of the pickle is not UTF-8", {.found = fmt::format("byte {} of it", *bad)},
           ErrorCode::invalid_utf8);
    return found;
  }
  /// Reads text that Python 2 wrote: bytes, of which PyTorch too takes each for a character.
  Value latin_text(std::uint64_t size) {
    std::string result;
    for (const std::byte byte : take(size)) {
      const auto code = std::to_integer<unsigned>(byte);
      if (code >= 0x80) result += static_cast<char>(0xC0U | code >> 6U);
      result += static_cast<char>(code < 0x80 ? code : 0x80U | (code & 0x3FU));
    }
    return result;
  }
  Value bytes(std::uint64_t size) { return Value::bytes(take(size)); }

  /// Reads an integer of any size in two's complement.
  Value integer(std::uint64_t size) {
    constexpr std::size_t word = 8;
    // A byte is about 2.4 decimal digits.
    if (size > limits_.digits / 2 + word)
      throw detail::past(detail::Limit::digits, limits_.digits,
                         {.found = fmt::format("{} bytes", size), .offset = at_});
    const std::span<const std::byte> bytes = take(size);
    if (bytes.empty()) return 0;
    const bool is_negative = (bytes.back() & std::byte{0x80}) != std::byte{0};
    if (size <= word) {
      const unsigned unused = static_cast<unsigned>(8 * (word - bytes.size()));
      return static_cast<std::int64_t>(little_endian(bytes) << unused) >> unused;
    }
    std::vector<std::uint8_t> magnitude;
    for (std::size_t i = bytes.size(); i-- > 0;)
      magnitude.push_back(std::to_integer<std::uint8_t>(is_negative ? ~bytes[i] : bytes[i]));
    if (is_negative) cbor::add_one(magnitude);
    const std::string digits = cbor::digits_of_big(magnitude);
    if (digits.size() > limits_.digits)
      throw detail::past(detail::Limit::digits, limits_.digits,
                         {.found = std::to_string(digits.size()), .offset = at_});
    return Value::integer((is_negative ? "-" : "") + digits);
  }

  bool scalar(char code) {
    switch (code) {
      case 'N': return push(none);
      case '\x88': return push(yes);
      case '\x89': return push(no);
      case 'J': return push(Value(static_cast<std::int32_t>(number(4))));
      case 'K': return push(Value(number(1)));
      case 'M': return push(Value(number(2)));
      case '\x8a': return push(integer(number(1)));
      case '\x8b': return push(integer(number(4)));
      case 'G':
        return push(Value(std::bit_cast<double>(binary::load_big<std::uint64_t>(take(8).data()))));
      case 'X': return push(text(number(4)));
      case '\x8c': return push(text(number(1)));
      case '\x8d': return push(text(number(8)));
      case 'T': return push(latin_text(number(4)));
      case 'U': return push(latin_text(number(1)));
      case 'B': return push(bytes(number(4)));
      case 'C': return push(bytes(number(1)));
      case '\x8e':
      case '\x96': return push(bytes(number(8)));
      default: return false;
    }
  }

  // Containers.

  void append(Id to, std::vector<Id> items, ObjectKind kind) {
    Object& object = pickle_.objects[to];
    const bool is_call = object.kind == ObjectKind::call;
    if (!is_call && object.kind != kind) fail("the pickle adds items to what has none");
    std::vector<Id>& room = !is_call                   ? object.parts
                            : kind == ObjectKind::dict ? object.call->entries
                                                       : object.call->items;
    if (kind == ObjectKind::dict && items.size() % 2 != 0)
      fail("the pickle adds a key without a value");
    room.insert(room.end(), items.begin(), items.end());
  }

  bool container(char code) {
    switch (code) {
      case '(': marks_.push_back(stack_.size()); return true;
      case ']': return push(add(ObjectKind::list));
      case ')': return push(add(ObjectKind::tuple));
      case '}': return push(add(ObjectKind::dict));
      case '\x8f': return push(add(ObjectKind::set));
      case '\x91': return push(add(ObjectKind::frozen_set, pop_to_mark()));
      case 't': return push(add(ObjectKind::tuple, pop_to_mark()));
      case '\x85': return push(add(ObjectKind::tuple, pop(1)));
      case '\x86': return push(add(ObjectKind::tuple, pop(2)));
      case '\x87': return push(add(ObjectKind::tuple, pop(3)));
      case 'a': return append_to_top(pop(1), ObjectKind::list);
      case 'e': return append_to_top(pop_to_mark(), ObjectKind::list);
      case 's': return append_to_top(pop(2), ObjectKind::dict);
      case 'u': return append_to_top(pop_to_mark(), ObjectKind::dict);
      case '\x90': return append_to_top(pop_to_mark(), ObjectKind::set);
      default: return false;
    }
  }
  bool append_to_top(std::vector<Id> items, ObjectKind kind) {
    append(top(), std::move(items), kind);
    return true;
  }

  // The stack itself, and the memo.

  bool keep(std::uint64_t place) {
    // Every pickler numbers what it keeps in order; each instruction that keeps takes a byte.
    if (place > window_.position() - begin_)
      fail("the pickle keeps a value at a place that is too far");
    if (place >= memo_.size()) memo_.resize(static_cast<std::size_t>(place) + 1, no_object);
    memo_[static_cast<std::size_t>(place)] = top();
    ++kept_;
    return true;
  }
  bool recall(std::uint64_t place) {
    if (place >= memo_.size() || memo_[static_cast<std::size_t>(place)] == no_object)
      fail("the pickle refers to a value that it did not keep");
    return push(memo_[static_cast<std::size_t>(place)]);
  }
  bool memo(char code) {
    switch (code) {
      case '0':
        // A mark counts as a value here.
        if (!marks_.empty() && stack_.size() == marks_.back()) marks_.pop_back();
        else pop();
        return true;
      case '1': static_cast<void>(pop_to_mark()); return true;
      case '2': return push(Id{top()});
      case 'q': return keep(number(1));
      case 'r': return keep(number(4));
      case '\x94': return keep(kept_);
      case 'h': return recall(number(1));
      case 'j': return recall(number(4));
      default: return false;
    }
  }

  // Classes, functions, and what is made by them.

  std::string line() {
    std::string text;
    for (;;) {
      const auto character = static_cast<char>(take(1)[0]);
      if (character == '\n') return text;
      if (text.size() == longest_name) fail("the pickle has a name that is too long");
      text += character;
    }
  }
  bool global(std::string name) {
    if (detail::find_invalid_wtf8(name))
      fail("a text of the pickle is not UTF-8", {}, ErrorCode::invalid_utf8);
    const Id id = add(ObjectKind::global);
    pickle_.objects[id].value = Value(std::move(name));
    return push(id);
  }
  std::string name_on_top() {
    const Object& object = pickle_.objects[pop()];
    if (object.kind != ObjectKind::value || object.value.kind() != Kind::string)
      fail("the name of a class in the pickle is not a str");
    if (object.value.as_string().size() > longest_name)
      fail("the pickle has a name that is too long");
    return object.value.as_string();
  }
  bool call(std::vector<Id> both, bool is_plain) {
    const ObjectKind callee = pickle_.objects[both[0]].kind;
    if (callee != ObjectKind::global && callee != ObjectKind::call)
      fail("the pickle calls what is neither a class nor a function");
    if (pickle_.objects[both[1]].kind != ObjectKind::tuple)
      fail("the arguments of a call in the pickle are not a tuple");
    const Id id = add(ObjectKind::call);
    pickle_.objects[id].call = std::make_unique<Call>(Call{
        .callee = both[0], .arguments = both[1], .is_plain = is_plain, .items = {}, .entries = {}});
    return push(id);
  }
  bool set_state(Id state) {
    Object& object = pickle_.objects[top()];
    if (object.kind != ObjectKind::call) fail("the pickle sets the state of what has none");
    if (object.call->state != no_object) fail("the pickle sets the state of an object twice");
    object.call->state = state;
    return true;
  }
  bool protocol(std::uint64_t version) {
    if (version < first_protocol || version > last_protocol)
      fail("the pickle has an unknown protocol",
           {.expected = "2 to 5", .found = std::to_string(version)},
           ErrorCode::unsupported_version);
    return true;
  }
  bool object(char code) {
    switch (code) {
      case '\x80': return protocol(number(1));
      case '\x95': static_cast<void>(number(8)); return true;  // The length of what follows.
      case 'c': {
        std::string module = line();
        return global(std::move(module) + '.' + line());
      }
      case '\x93': {
        const std::string name = name_on_top();
        return global(name_on_top() + '.' + name);
      }
      case 'R': return call(pop(2), false);
      case '\x81': return call(pop(2), true);
      case 'b': return set_state(pop());
      case 'Q': return push(add(ObjectKind::persistent, pop(1)));
      default: return false;
    }
  }

  binary::Window& window_;
  std::uint64_t begin_;
  std::uint64_t end_;
  const Limits& limits_;
  std::uint64_t at_ = 0;  // The offset of the instruction.
  Pickle pickle_;
  std::vector<Id> stack_;
  std::vector<std::size_t> marks_;  // The height of the stack at each.
  std::vector<Id> memo_;
  std::uint64_t kept_ = 0;
};

}  // namespace

Pickle read_pickle(binary::Window& window, std::uint64_t end, const Limits& limits) {
  return Machine(window, end, limits).run();
}

}  // namespace safestructures::inline v0::pytorch
