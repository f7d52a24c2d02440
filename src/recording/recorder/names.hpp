/// \file
/// The names that a recorder has met, the rules for them, and what became of their calls.
#pragma once

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

/// One name.
struct Name {
  const KeepRule* rule = nullptr;  ///< Null: left out.
  std::uint64_t passed = 0;        ///< Calls that passed its rule.
  RecordCounts counts;
};

/// All names. Not for several threads at once.
class Names {
 public:
  using Entry = std::pair<const std::string, Name>;

  /// \param folder of the recording, for errors of names
  /// \throws Error `invalid_argument` for rules that cannot be
  Names(std::vector<KeepRule> rules, std::string folder);

  /// The name, which stays where it is. \throws Error `invalid_argument`, `invalid_utf8`
  [[nodiscard]] Entry& find(std::string_view name);
  /// Whether a call is kept, which is counted as one that passed.
  [[nodiscard]] static bool passes(Entry& name, const RecordCall& call);
  [[nodiscard]] const auto& all() const noexcept { return names_; }
  /// The counts of all together.
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
