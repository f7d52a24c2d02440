/// \file
/// The names that a recorder has seen, their rules, and the counts of their calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <safestructures/recording/options.hpp>
#include "data/keyed_hash.hpp"

namespace safestructures::inline v0::recording {

/// A name.
struct Name {
  const KeepRule* rule = nullptr;  ///< Null if calls are left out.
  std::uint64_t passed = 0;        ///< The number of calls that its rule let pass.
  RecordCounts counts;             ///< Without those that are kept.
  /// By itself, as most records are: others need a lock.
  std::atomic<std::uint64_t> kept{0};

  /// Returns all counts.
  [[nodiscard]] RecordCounts all() const noexcept {
    RecordCounts whole = counts;
    whole.kept = kept;
    return whole;
  }
};

/// All names. Not thread-safe.
class Names {
 public:
  using Entry = std::pair<const std::string, Name>;

  /// \param folder of the recording, for errors about names
  /// \throws Error `invalid_argument` for invalid rules
  Names(std::vector<KeepRule> rules, std::string folder);

  /// Returns the entry of a name; its address is stable. \throws Error `invalid_argument`,
  /// `invalid_utf8`
  [[nodiscard]] Entry& find(std::string_view name);
  /// Whether the rule keeps a call, which is then counted as passed.
  [[nodiscard]] static bool passes(Entry& name, const RecordCall& call);
  [[nodiscard]] const auto& all() const noexcept { return names_; }
  /// Returns the sum of all counts.
  [[nodiscard]] RecordCounts sum() const noexcept;

 private:
  [[nodiscard]] const KeepRule* rule_for(const std::string& name) const;

  std::vector<KeepRule> rules_;
  std::string folder_;
  std::vector<std::optional<std::regex>> expressions_;
  KeepRule everything_;
  std::unordered_map<std::string, Name, detail::KeyedHash, std::equal_to<>> names_;
};

}  // namespace safestructures::inline v0::recording
