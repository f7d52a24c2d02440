/// \file
/// What the files of a checkpoint are called, and what an earlier save left under these names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/sink.hpp>

namespace safestructures::inline v0::safetensors::detail {

/// The names of a checkpoint's files, as Hugging Face chooses them.
class CheckpointNames {
 public:
  /// \param name that of the single file, `model.safetensors` or `model`, or that of the index
  explicit CheckpointNames(std::string name);

  /// Returns `model`.
  [[nodiscard]] const std::string& stem() const noexcept { return stem_; }
  /// Returns `model.safetensors.index.json`.
  [[nodiscard]] std::string index() const;
  /// Returns `model-00001-of-00003.safetensors` for the number 1.
  [[nodiscard]] std::string shard(std::size_t number, std::size_t count) const;
  /// Returns whether it is what a shard of this checkpoint may be called.
  [[nodiscard]] bool is_shard(std::string_view name) const;

 private:
  std::string stem_;
};

/// Has the sink of a single `model.safetensors` remove the index, and its shards, that this library
/// saved at that path before. \returns their names
std::vector<std::string> replace_shards(Sink& sink, const Limits& limits);

/// Has a sink whose siblings are the files of a checkpoint remove the single file at its path, and
/// the shards of the earlier index that are not among `files`. \returns their names
std::vector<std::string> replace_all_but(Sink& sink, std::span<const std::string> files,
                                         const Limits& limits);

}  // namespace safestructures::inline v0::safetensors::detail
