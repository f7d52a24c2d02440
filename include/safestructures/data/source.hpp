/// \file
/// Where bytes come from: a file, memory, or a user-defined source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Bytes that stay valid as long as `owner` lives, or if it is null, as long as their provider
/// says.
struct SharedBytes {
  std::span<const std::byte> bytes;   ///< The bytes, at any address.
  std::shared_ptr<const void> owner;  ///< Keeps them alive; may be null.
};

/// Bytes that can be read at any position. A class of your own must implement `name`, `size` and
/// `read`; to read from a server, request each range.
///
/// All members may be called by several threads at once.
class SAFESTRUCTURES_API Source {
 public:
  virtual ~Source();

  /// The name in errors: a file's path as the caller gave it; empty for bytes in memory.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;

  /// The number of bytes, which never changes.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;

  /// Fills `into` with the bytes from `offset` on.
  /// \throws Error `truncated` if there are fewer bytes; `cannot_read`; both name the source
  virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;

  /// Returns `size` bytes from `offset` on, without a copy where possible (a mapped file, bytes in
  /// memory); otherwise reads them into new memory.
  /// \throws Error as `read`
  [[nodiscard]] virtual SharedBytes view(std::uint64_t offset, std::size_t size) const;

  /// Whether the bytes are already in memory, so that `view` costs nothing.
  [[nodiscard]] virtual bool is_in_memory() const noexcept { return false; }

  /// Opens the file with that name in the same folder, for data in several files.
  /// \throws Error `cannot_open` if there is none, or if this source is not a file
  [[nodiscard]] virtual std::shared_ptr<const Source> sibling(std::string_view file_name) const;

  /// Opens a regular file. \throws Error `cannot_open`
  [[nodiscard]] static std::shared_ptr<const Source> open(const std::filesystem::path& path);

  /// Returns a source of bytes in memory. \param owner keeps them alive; if null, the caller does
  [[nodiscard]] static std::shared_ptr<const Source> of(std::span<const std::byte> bytes,
                                                        std::shared_ptr<const void> owner);
  /// Takes over bytes without copying them.
  [[nodiscard]] static std::shared_ptr<const Source> of(std::vector<std::byte>&& bytes);
  // A temporary would be gone before it is read.
  template <class Allocator>
  static std::shared_ptr<const Source> of(const std::vector<std::byte, Allocator>&& bytes,
                                          std::shared_ptr<const void> owner) = delete;

  /// Reads a binary stream from its position to its end, into memory that grows with what arrives.
  /// The stream's state flags stay as they are.
  /// \param name the source's name in errors
  /// \throws Error `cannot_read` if the stream fails, or had failed before
  [[nodiscard]] static std::shared_ptr<const Source> read_all(std::istream& in,
                                                              std::string name = {});

 protected:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
};

}  // namespace safestructures::inline v0
