/// \file
/// Saves to a file, and to several that become visible together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/data/sink.hpp>

#include "platform/atomic_file.hpp"

namespace safestructures::inline v0::platform {

/// A file, created when its first byte or its size is known, and its siblings.
///
/// All are written under temporary names. `commit` finishes all of them before it renames the
/// first, so that only the renames can fail half-way; without `commit` nothing changes. Siblings
/// are renamed in the order in which they were requested, after the file itself if it was written
/// to. Requesting a sibling closes the previous one, so that only one file is open at a time.
class FileSink final : public Sink {
 public:
  FileSink(std::filesystem::path path, bool durable) : path_(std::move(path)), durable_(durable) {}

  void write(std::span<const std::byte> bytes) override { file().write(bytes); }
  [[nodiscard]] std::uint64_t position() const noexcept override {
    return file_ ? file_->position() : 0;
  }
  void flush() override {
    if (file_) file_->flush();
  }
  void expect(std::uint64_t size) override;
  [[nodiscard]] std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override {
    return file().prepare(minimum, wanted);
  }
  void produced(std::size_t size) override { file().produced(size); }
  void compute(std::uint64_t size, std::size_t unit, const Producer& produce) override {
    file().compute(size, unit, produce);
  }
  void compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                      const PartProducer& produce) override {
    file().compute_matrix(rows, row_size, unit, produce);
  }
  bool overwrite(std::uint64_t offset, std::span<const std::byte> bytes) override {
    return bytes.empty() || file().overwrite(offset, bytes);
  }
  [[nodiscard]] std::string file_name() const override { return path_.filename().string(); }
  [[nodiscard]] Sink& sibling(std::string_view file_name) override;
  [[nodiscard]] std::filesystem::path path() const override { return path_; }
  void replaces(std::string_view file_name) override {
    replaced_.push_back(path_.parent_path() / file_name);
  }

  /// Gives all files their names, and removes those that they replace. Call once, last. A sink
  /// without any writes or siblings leaves an empty file.
  /// \throws Error `cannot_write`
  void commit();

 private:
  AtomicFile& file();
  void finish();
  void publish();
  void remove_replaced() const;

  std::filesystem::path path_;
  bool durable_;
  std::optional<AtomicFile> file_;
  bool is_finished_ = false;
  std::vector<std::unique_ptr<FileSink>> siblings_;
  std::vector<std::filesystem::path> replaced_;
};

}  // namespace safestructures::inline v0::platform
