/// \file
/// The library's side of the comparison: `worker WORKLOAD ACTION FILE` does one thing, once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>
#include "measure.hpp"

namespace bench {

namespace ss = safestructures;
using Path = std::filesystem::path;

struct Action {
  std::string_view workload;
  std::string_view name;
  void (*run)(const Path& file);
};

// One function for each source file with workloads.
std::span<const Action> large_actions();
std::span<const Action> many_actions();
std::span<const Action> node_actions();
std::span<const Action> middle_actions();
std::span<const Action> eigen_actions();
std::span<const Action> burn_actions();
std::span<const Action> recording_actions();
std::span<const Action> compare_actions();

/// Records of R1 to R3.
struct Size {
  std::size_t count;
  std::size_t bytes;
  [[nodiscard]] std::size_t all() const { return count * bytes; }
};
inline constexpr Size r1{.count = 100'000, .bytes = 256};
inline constexpr Size r2{.count = 4'000, .bytes = 64 * kib};
inline constexpr Size r3{.count = 64, .bytes = 4 * mib};

/// A small file beside `file`, for running the code once before it is measured.
inline Path small_file(const Path& file) { return Path(file).concat(".small"); }

/// Measures saving `object`, after having saved `small` of the same type.
/// \param bytes size of the file
template <class T>
void save(const T& small, const T& object, const Path& file, std::size_t bytes,
          const ss::SaveOptions& options = {}) {
  ss::save_file(small, small_file(file), options);
  std::filesystem::remove(small_file(file));
  measure(bytes, [&] { ss::save_file(object, file, options); });
}

/// Measures loading a T, after having loaded a small one; `check` tells whether the result is
/// right.
template <class T, class Check>
void load(const T& small, const Path& file, std::size_t bytes, const ss::LoadOptions& options,
          const Check& check) {
  ss::save_file(small, small_file(file));
  keep(ss::load_file<T>(small_file(file), options));
  std::filesystem::remove(small_file(file));
  std::optional<T> result;
  // Twice: for what is loaded, and for the page cache where the file is not in it.
  measure(2 * bytes, [&] { result.emplace(ss::load_file<T>(file, options)); });
  require(check(*result), "loaded something else than was saved");
}

/// Measures opening, after a small file was opened.
template <class T>
void open(const T& small, const Path& file) {
  ss::save_file(small, small_file(file));
  keep(ss::open(small_file(file)));
  std::filesystem::remove(small_file(file));
  std::optional<ss::Document> document;
  measure(64 * mib, [&] { document.emplace(ss::open(file)); });
}

}  // namespace bench
