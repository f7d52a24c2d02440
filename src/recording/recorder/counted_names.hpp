/// \file
/// The names of a recorder, and what became of the calls of each.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <safestructures/recording/options.hpp>
#include "recording/recorder/failure.hpp"
#include "recording/recorder/names.hpp"

namespace safestructures::inline v0::recording {

/// `Names` for several threads.
class CountedNames {
 public:
  using Count = std::uint64_t RecordCounts::*;

  /// \throws Error as `Names`
  CountedNames(std::vector<KeepRule> rules, std::string folder)
      : names_(std::move(rules), std::move(folder)) {}

  /// Counts a call, and describes it. \param failure told, if it has not been; then, or if it has
  /// ended the recording, the call is counted as failed
  /// \returns the name's entry if the call is to be kept; null if it is left out
  /// \throws Error as `Names::find`; what `failure` and the rule's predicate throw
  [[nodiscard]] Names::Entry* admit(std::string_view name, std::int64_t step, Failure& failure,
                                    RecordCall& call);
  /// Counts what became of a call, in addition to being kept or instead of it.
  void count(Names::Entry& name, Count what);
  /// Counts a record that is kept, without a lock.
  static void keep(Names::Entry& name) noexcept { ++name.second.kept; }
  /// Takes that back: it is not counted yet as anything else.
  static void take_back(Names::Entry& name) noexcept { --name.second.kept; }
  /// Takes back that a record was kept, and thinned out; counts it as failed instead.
  void lose(Names::Entry& name, bool is_thinned);

  [[nodiscard]] bool empty() const;
  /// Adds the counts of all names, and their sum.
  void add_to(RecorderReport& report) const;
  /// The sum of all counts, and the counts of the names that lost calls. A call in progress is
  /// neither kept nor lost yet.
  struct LeftOut {
    RecordCounts all;
    std::map<std::string_view, RecordCounts> names;  ///< The names stay valid.
  };
  [[nodiscard]] LeftOut left_out() const;

 private:
  mutable std::mutex mutex_;
  Names names_;
};

}  // namespace safestructures::inline v0::recording
