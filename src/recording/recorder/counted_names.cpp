#include "recording/recorder/counted_names.hpp"

namespace safestructures::inline v0::recording {

Names::Entry* CountedNames::admit(std::string_view name, std::int64_t step, Failure& failure,
                                  RecordCall& call) {
  const std::lock_guard lock(mutex_);
  Names::Entry& entry = names_.find(name);
  RecordCounts& counts = entry.second.counts;
  call = {entry.first, step, counts.calls++};
  try {
    failure.tell();
    if (failure.has_ended()) return ++counts.failed, nullptr;
    if (!Names::passes(entry, call)) return ++counts.filtered, nullptr;
    return &entry;
  } catch (...) {  // Also from a predicate.
    ++counts.failed;
    throw;
  }
}

void CountedNames::count(Names::Entry& name, Count what) {
  const std::lock_guard lock(mutex_);
  ++(name.second.counts.*what);
}

void CountedNames::lose(Names::Entry& name, bool is_thinned) {
  const std::lock_guard lock(mutex_);
  RecordCounts& counts = name.second.counts;
  --name.second.kept;
  ++counts.failed;
  if (is_thinned) --counts.thinned;
}

bool CountedNames::empty() const {
  const std::lock_guard lock(mutex_);
  return names_.all().empty();
}

void CountedNames::add_to(RecorderReport& report) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, known] : names_.all()) report.names.emplace(name, known.all());
  report.all = names_.sum();
}

CountedNames::LeftOut CountedNames::left_out() const {
  const std::lock_guard lock(mutex_);
  LeftOut found{.all = names_.sum(), .names = {}};
  for (const auto& [name, known] : names_.all()) {
    const RecordCounts own = known.all();
    if (own.filtered + own.dropped + own.thinned + own.limited + own.failed != 0)
      found.names.emplace(name, own);
  }
  return found;
}

}  // namespace safestructures::inline v0::recording
