/// \file
/// The format of a tree in a binary encoding: MessagePack or CBOR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/format.hpp>
#include "formats/refuse_checksums.hpp"
#include "formats/stored_tensor.hpp"
#include "formats/tree/binary_input.hpp"
#include "formats/tree/binary_output.hpp"
#include "formats/tree/read.hpp"
#include "formats/tree/write.hpp"

namespace safestructures::inline v0::tree {

/// \tparam Spelling has `Cursor` and `Encoder`, the `name` of the format and its `title` in
/// messages, `endings`, the bytes that a file `begins` with, and `recognises`
template <class Spelling>
class BinaryFormat final : public Format {
 public:
  std::string_view name() const noexcept override { return Spelling::name; }
  std::span<const std::string_view> extensions() const noexcept override {
    return Spelling::endings;
  }
  bool recognises(std::span<const std::byte> head, std::uint64_t) const override {
    return Spelling::recognises({reinterpret_cast<const char*>(head.data()), head.size()});
  }

  Content read(const std::shared_ptr<const Source>& given,
               const LoadOptions& options) const override {
    try {
      detail::refuse_checksums(options);
      const std::shared_ptr<const Source> source = detail::brought(given, options.access);
      const std::unique_ptr<Input> input =
          binary_input(Spelling::title,
                       std::make_unique<typename Spelling::Cursor>(source, cursor_options(options)),
                       source, options);
      return tree::read(*input, *given, options);
    } catch (const Error& error) {
      throw error.with_file(given->name());
    }
  }

  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    check_options(Spelling::title, options);
    BinaryOutput<typename Spelling::Encoder> output(Spelling::title, sink, Spelling::begins);
    return tree::write(root, output, sink, options);
  }
};

}  // namespace safestructures::inline v0::tree
