/// \file
/// Where bytes come from: a file, memory, or what a user reads from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0 {

/// Bytes that stay valid as long as `owner` lives; without an owner, as long as who gave them says.
struct SharedBytes {
  std::span<const std::byte> bytes;   ///< At any address.
  std::shared_ptr<const void> owner;  ///< May be null.
};

/// Bytes that can be read at any position. A class of one's own needs `name`, `size` and `read`:
/// reading from a server is a request for each range.
///
/// Every member may be called by several threads at once.
class SAFESTRUCTURES_API Source {
 public:
  virtual ~Source();

  /// What errors call it: a file's path as the caller gave it; empty for bytes in memory.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;

  /// The number of bytes, which does not change.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;

  /// Fills `into` from `offset` on.
  /// \throws Error `truncated` where there are fewer bytes, `cannot_read`, naming the source.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;

  /// `size` bytes from `offset` on, without copying where that is possible: a mapping of a file,
  /// the memory itself. Otherwise they are read into new memory.
  /// \throws Error as `read`
  [[nodiscard]] virtual SharedBytes view(std::uint64_t offset, std::size_t size) const;

  /// Whether the bytes are in memory already, so that `view` costs nothing.
  [[nodiscard]] virtual bool is_in_memory() const noexcept { return false; }

  /// The file of that name in the same folder, for what lies in several files.
  /// \throws Error `cannot_open` where there is none, or where there are no files.
  [[nodiscard]] virtual std::shared_ptr<const Source> sibling(std::string_view file_name) const;

  /// Opens a regular file. \throws Error `cannot_open`
  [[nodiscard]] static std::shared_ptr<const Source> open(const std::filesystem::path& path);

  /// Bytes in memory. \param owner keeps them alive; where it is null, the caller does.
  [[nodiscard]] static std::shared_ptr<const Source> of(std::span<const std::byte> bytes,
                                                        std::shared_ptr<const void> owner);

 protected:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
};

}  // namespace safestructures::inline v0
