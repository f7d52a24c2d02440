/// \file
/// MessagePack and CBOR as outputs to which trees are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/data/sink.hpp>
#include "data/text/utf8.hpp"
#include "formats/binary/byte_output.hpp"
#include "formats/binary/write_tensor.hpp"
#include "formats/tree/names.hpp"
#include "formats/tree/output.hpp"

namespace safestructures::inline v0::tree {

/// \tparam Encoder encodes the heads of values: `messagepack::Encoder` or `cbor::Encoder`
template <class Encoder>
class BinaryOutput final : public Output {
 public:
  /// \param format the format's name in messages; must stay valid \param begin the bytes that the
  /// file begins with
  BinaryOutput(std::string_view format, Sink& sink, std::string_view begin)
      : format_(format), out_(sink), start_(sink.position()), code_(out_.text()) {
    out_.raw(begin);
  }

  std::string_view format() const noexcept override { return format_; }
  bool takes_key(const Value& key) const noexcept override {
    return key.kind() == Kind::string || (key.kind() == Kind::integer && takes_integer(key));
  }
  bool has_bytes() const noexcept override { return true; }
  bool takes_integer(const Value& value) const override { return Encoder::takes(value); }

  void null() override { code_.null(); }
  void boolean(bool value) override { code_.boolean(value); }
  void integer(const Value& value) override { code_.integer(value); }
  void floating(double value) override { code_.floating(value); }
  void part(double value) override { code_.floating(value); }
  void string(std::string_view text, const Trace* trace) override {
    if (const auto bad = detail::find_invalid_wtf8(text))
      throw Error(
          ErrorCode::invalid_utf8, "a string is not UTF-8",
          {.path = to_string(trace),
           .found = "a malformed sequence at byte " + std::to_string(*bad) + " of the string",
           .advice = "Store binary data as bytes, for example std::vector<std::byte>"});
    code_.string(text.size());
    out_.raw(text);
  }

  void begin_object(std::size_t members, Layout) override { code_.map(members); }
  void key(std::string_view name, const Trace* trace) override { string(name, trace); }
  void begin_key() override {}
  void end_object() override {}
  void begin_array(std::size_t items, Layout) override { code_.array(items); }
  void begin_item() override {}
  void end_array() override {}

  void bytes(detail::StoredElements& elements) override {
    code_.bytes(byte_size(elements.dtype(), elements.tensor().shape()));
    binary::write_tensor(out_, elements);
  }

  std::size_t data_members(std::uint64_t bytes) const noexcept override {
    return bytes < least_aligned ? 1 : 2;
  }
  void data(detail::StoredElements& elements) override {
    const std::uint64_t size = byte_size(elements.dtype(), elements.tensor().shape());
    if (size >= least_aligned) pad(size);
    key(data_name, nullptr);
    bytes(elements);
  }

  void pass_on() override { out_.pass_on(); }
  void finish() override { out_.send(); }

 private:
  // Smaller tensors are copied on loading if they are not aligned, which costs less than padding.
  static constexpr std::uint64_t least_aligned = 256;
  // Enough for every dtype.
  static constexpr std::uint64_t alignment = 8;

  /// Writes a member that moves the data of a tensor to an aligned position in the file.
  void pad(std::uint64_t size) {
    key(pad_name, nullptr);
    // From this size on, CBOR's head has two bytes; MessagePack's always has.
    constexpr std::uint64_t least = 24;
    std::string between;
    Encoder measure(between);
    measure.bytes(least);
    measure.string(data_name.size());
    measure.bytes(size);
    const std::uint64_t place =
        out_.position() - start_ + between.size() + data_name.size() + least;
    const std::uint64_t count = least + (alignment - place % alignment) % alignment;
    code_.bytes(count);
    out_.raw(std::string(static_cast<std::size_t>(count), '\0'));
  }

  std::string_view format_;
  binary::ByteOutput out_;
  std::uint64_t start_;
  Encoder code_;
};

}  // namespace safestructures::inline v0::tree
