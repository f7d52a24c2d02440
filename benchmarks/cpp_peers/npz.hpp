/// \file
/// NumPy's npz as cnpy writes it: a zip archive of stored .npy files, which names nothing but
/// arrays.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bench {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// Writes arrays one after another; at most 65,535, as the archive is not zip64.
class NpzWriter {
 public:
  explicit NpzWriter(const std::string& file);
  /// \param type NumPy's name of the dtype, as `<f4`
  void add(std::string_view name, std::string_view type, std::string_view shape, const void* data,
           std::size_t bytes);
  void finish();

 private:
  void write(const void* data, std::size_t bytes);

  OpenFile file_;
  std::string directory_;
  std::uint64_t offset_ = 0;
  std::size_t count_ = 0;
};

/// Finds arrays by name, and reads them.
class NpzReader {
 public:
  explicit NpzReader(const std::string& file);
  [[nodiscard]] bool has(const std::string& name) const { return entries_.contains(name); }
  /// Goes to the array's numbers. \returns their size in bytes
  std::size_t find(const std::string& name);
  void read(void* target, std::size_t bytes);

 private:
  struct Entry {
    std::uint32_t offset;
    std::uint32_t bytes;
  };
  OpenFile file_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace bench
