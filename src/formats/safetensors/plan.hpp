/// \file
/// What a file will look like, decided before the first byte is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <safestructures/formats/safetensors/writer.hpp>

namespace safestructures::inline v0::safetensors::detail {

class Appender;

/// An entry of the metadata whose text is spelled already as inside a JSON string, in ASCII: a
/// backslash before every quote and backslash, and no controls. No key: there is none.
struct SpelledEntry {
  std::string_view key;
  std::string_view text;    ///< Without what a `HeadStart` has taken,
  std::uint64_t taken = 0;  ///< which is so many bytes.
};

/// Begins a file before it is known what will be in it, with a text that goes to the sink while it
/// is made: the length of the header, which stands in front, is written last.
class HeadStart {
 public:
  /// The sink must be one that can overwrite, and nobody else may write to it. \param key of the
  /// text \param metadata the other entries
  HeadStart(Sink& sink, const Metadata& metadata, std::string_view key, const Limits& limits)
      : sink_(sink), metadata_(metadata), key_(key), limits_(limits) {}

  /// Takes the front of a piece of 64 KiB at least, which may then be changed; the first brings all
  /// that is before it.
  /// \returns how much. \throws Error `limit_exceeded` with Limits::header_bytes; what the sink
  /// throws
  std::size_t take(std::string_view piece);

  /// Bytes of the text that were taken.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

 private:
  void begin();

  Sink& sink_;
  const Metadata& metadata_;
  std::string_view key_;
  const Limits& limits_;
  std::uint64_t taken_ = 0;
};

/// The order of the tensors and the header of one file.
class FilePlan {
 public:
  /// \param spelled another entry of the metadata, whose text is written from where it is; where a
  /// HeadStart has taken some, the rest must go to the same sink
  /// \throws Error as `write`, but for what conversions and the system refuse
  FilePlan(std::span<const Item> items, const Metadata& metadata, const Limits& limits,
           SpelledEntry spelled = {});

  /// Bytes of the whole file.
  [[nodiscard]] std::uint64_t size() const noexcept { return header_size_ + data_size_; }
  /// Writes the file. The items must be those of the constructor. The report's bytes are set.
  /// \throws Error what conversions and the sink refuse
  [[nodiscard]] SaveReport write_to(Sink& sink, std::span<const Item> items,
                                    const WriteOptions& options) const;

 private:
  void check_items(std::span<const Item> items, const Limits& limits);
  void check_names(std::span<const Item> items) const;
  void write_header(std::span<const Item> items, const Metadata& metadata, const Limits& limits);
  /// What stands between a tensor's name and its offsets.
  static void describe(Appender& out, const Item& item);
  void write_metadata(Appender& out, const Metadata& metadata);
  void write_header_to(Sink& sink) const;

  std::vector<std::uint32_t> order_;
  std::uint64_t data_size_ = 0;
  std::uint64_t names_size_ = 0;
  std::uint64_t entries_bound_ = 0;  // Bytes of the header that the tensors take at most.
  bool names_are_plain_ = true;      // JSON spells all names as they are.
  SpelledEntry spelled_;
  std::shared_ptr<std::byte> header_;  // The length in front; without the spelled text,
  std::size_t before_spelled_ = 0;     // which stands behind so many bytes.
  std::uint64_t header_size_ = 0;      // With it.
};

/// `write` with another entry of the metadata. \throws Error as it does
SaveReport write_spelled(Sink& sink, std::span<const Item> items, const Metadata& metadata,
                         SpelledEntry spelled, const WriteOptions& options);

}  // namespace safestructures::inline v0::safetensors::detail
