/// \file
/// The layout of a file, decided before the first byte is written.
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

/// An entry of the metadata whose text is already escaped for a JSON string, in ASCII: a backslash
/// before every quote and backslash, and no control characters. If the key is empty, there is no
/// entry.
struct SpelledEntry {
  std::string_view key;
  std::string_view text;    ///< The text without what a `HeadStart` has taken,
  std::uint64_t taken = 0;  ///< which was this many bytes.
};

/// Begins a file before its content is known, with a text that goes to the sink while it is
/// produced. The length of the header, which comes first in the file, is written last.
class HeadStart {
 public:
  /// The sink must support overwriting, and nothing else may write to it.
  /// \param key of the text \param metadata the other entries
  HeadStart(Sink& sink, const Metadata& metadata, std::string_view key, const Limits& limits)
      : sink_(sink), metadata_(metadata), key_(key), limits_(limits) {}

  /// Takes the front of a piece, which must have at least 64 KiB and may be changed afterwards. The
  /// first call also writes everything that precedes the text.
  /// \returns the number of bytes taken. \throws Error `limit_exceeded` (Limits::header_bytes);
  /// whatever the sink throws
  std::size_t take(std::string_view piece);

  /// The number of bytes of the text that were taken.
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
  /// \param spelled another entry of the metadata, whose text is written from its own memory. If a
  /// HeadStart has taken some of it, the rest must go to the same sink
  /// \throws Error as `write`, except for errors of conversions and of the system
  FilePlan(std::span<const Item> items, const Metadata& metadata, const Limits& limits,
           SpelledEntry spelled = {});

  /// The size of the whole file in bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return header_size_ + data_size_; }
  /// Writes the file. The items must be those given to the constructor. Sets the bytes of the
  /// report.
  /// \throws Error for failed conversions, and whatever the sink throws
  [[nodiscard]] SaveReport write_to(Sink& sink, std::span<const Item> items,
                                    const WriteOptions& options) const;

 private:
  void check_items(std::span<const Item> items, const Limits& limits);
  void check_names(std::span<const Item> items) const;
  void write_header(std::span<const Item> items, const Metadata& metadata, const Limits& limits);
  /// Returns at most how many bytes the header takes, of which no more than `most` are allowed.
  /// \throws Error `limit_exceeded` if it is too large in any case; `invalid_utf8`
  [[nodiscard]] std::uint64_t header_bound(const Metadata& metadata, std::uint64_t most) const;
  void write_tensors(Appender& out, std::span<const Item> items) const;
  /// Pads the header, whose text ends at `end`, and puts its length before it.
  void finish_header(char* end, std::uint64_t most);
  /// Writes the part between a tensor's name and its offsets.
  static void describe(Appender& out, const Item& item);
  void write_metadata(Appender& out, const Metadata& metadata);
  void write_header_to(Sink& sink) const;

  std::vector<std::uint32_t> order_;
  std::uint64_t data_size_ = 0;
  std::uint64_t names_size_ = 0;
  std::uint64_t entries_bound_ = 0;  // At most the header bytes of the tensors.
  bool names_are_plain_ = true;      // Whether no name needs escapes in JSON.
  SpelledEntry spelled_;
  std::shared_ptr<std::byte> header_;  // Begins with the length; lacks the spelled text,
  std::size_t before_spelled_ = 0;     // which follows this many bytes.
  std::uint64_t header_size_ = 0;      // Includes the spelled text.
};

/// Does the same as `write`, with another entry of the metadata. \throws Error as `write`
SaveReport write_spelled(Sink& sink, std::span<const Item> items, const Metadata& metadata,
                         SpelledEntry spelled, const WriteOptions& options);

}  // namespace safestructures::inline v0::safetensors::detail
