/// \file
/// The files of a recording that is read: a bounded number of them is open at a time, however many
/// segments it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include <safestructures/data/source.hpp>

namespace safestructures::inline v0::recording {

/// May be used by several threads at once.
class OpenFiles : public std::enable_shared_from_this<OpenFiles> {
 public:
  /// Systems allow 256 or more for all of a process, which may read several recordings.
  static constexpr std::size_t most = 32;

  /// A file as a source, which keeps this alive. The file used longest ago is closed where another
  /// is to be opened, and opened again when it is read: it must not change meanwhile.
  /// \param later its name if it is renamed, and may then be cut or grow; empty for one that is not
  /// \throws Error as `Source::open`; reading does as well
  [[nodiscard]] std::shared_ptr<const Source> open(std::filesystem::path path,
                                                   std::filesystem::path later = {});

 private:
  class File;

  /// The file, open.
  [[nodiscard]] std::shared_ptr<const Source> use(const File& file);
  void forget(const File& file) noexcept;

  std::mutex mutex_;
  std::vector<const File*> open_;
  std::uint64_t uses_ = 0;
};

}  // namespace safestructures::inline v0::recording
