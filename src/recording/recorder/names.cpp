#include "recording/recorder/names.hpp"

#include <cstddef>
#include <utility>

#include <safestructures/data/error.hpp>
#include "data/text/glob.hpp"
#include "data/text/printable.hpp"
#include "data/text/utf8.hpp"

namespace safestructures::inline v0::recording {
namespace {

[[noreturn]] void refuse(std::size_t rule, std::string problem, std::string expected,
                         std::string found) {
  throw Error(ErrorCode::invalid_argument, std::move(problem),
              {.path = "/rules/" + std::to_string(rule),
               .expected = std::move(expected),
               .found = std::move(found)});
}

std::regex expression_of(const KeepRule& rule, std::size_t index) {
  try {
    return std::regex(rule.names, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    refuse(index, "a rule's names are not a regular expression", "one in the syntax of ECMAScript",
           detail::in_quotes(rule.names) + ": " + error.what());
  }
}

// std::regex recurses for each character, using 0.7 to 1.5 KB in libstdc++; threads have 1 MiB.
constexpr std::size_t longest_for_regex = 512;

bool matches(const std::regex& expression, const std::string& name, const std::string& folder) {
  if (name.size() > longest_for_regex)
    throw Error(ErrorCode::limit_exceeded,
                "the name of a record is too long for a regular expression of the rules",
                {.file = folder,
                 .expected = "at most " + std::to_string(longest_for_regex) + " bytes",
                 .found = std::to_string(name.size()) + " bytes, " +
                          detail::in_quotes(detail::cut(name, 40)) + " and more",
                 .advice = "Shorten the name, or put a rule with a glob for it first"});
  return std::regex_match(name, expression);
}

}  // namespace

Names::Names(std::vector<KeepRule> rules, std::string folder)
    : rules_(std::move(rules)), folder_(std::move(folder)) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const KeepRule& rule = rules_[i];
    expressions_.emplace_back();
    if (rule.regex) expressions_.back() = expression_of(rule, i);
    if (rule.every == 0) refuse(i, "a rule keeps no step", "KeepRule::every above 0", "0");
    if (rule.keep == Keep::slice && rule.slices.empty())
      refuse(i, "a rule keeps a slice but names none", "KeepRule::slices", "no slice");
    if (rule.keep != Keep::slice && !rule.slices.empty())
      refuse(i, "a rule names a slice that it does not keep", "Keep::slice",
             "Keep::" + std::string(to_string(rule.keep)));
  }
}

const KeepRule* Names::rule_for(const std::string& name) const {
  if (rules_.empty()) return &everything_;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const bool is_named = expressions_[i] ? matches(*expressions_[i], name, folder_)
                                          : detail::matches_glob(rules_[i].names, name);
    if (is_named) return rules_[i].keep == Keep::none ? nullptr : &rules_[i];
  }
  return nullptr;
}

Names::Entry& Names::find(std::string_view name) {
  if (const auto found = names_.find(name); found != names_.end()) return *found;
  if (name.empty())
    throw Error(ErrorCode::invalid_argument, "a record has no name",
                {.file = folder_, .expected = "a name"});
  if (detail::find_invalid_utf8(name))
    throw Error(ErrorCode::invalid_utf8, "the name of a record is not valid UTF-8",
                {.file = folder_, .found = detail::in_quotes(name)});
  std::string owned(name);
  const KeepRule* const rule = rule_for(owned);
  Entry& entry = *names_.try_emplace(std::move(owned)).first;
  entry.second.rule = rule;
  return entry;
}

RecordCounts Names::sum() const noexcept {
  RecordCounts all;
  for (const auto& [name, known] : names_) {
    const RecordCounts own = known.all();
    for (const auto counter : {&RecordCounts::calls, &RecordCounts::kept, &RecordCounts::filtered,
                               &RecordCounts::dropped, &RecordCounts::thinned,
                               &RecordCounts::limited, &RecordCounts::failed})
      all.*counter += own.*counter;
  }
  return all;
}

bool Names::passes(Entry& name, const RecordCall& call) {
  const KeepRule* const rule = name.second.rule;
  if (rule == nullptr) return false;
  if (rule->every != 1 && (call.step < 0 ? 0 - static_cast<std::uint64_t>(call.step)
                                         : static_cast<std::uint64_t>(call.step)) %
                                  rule->every !=
                              0)
    return false;
  if (name.second.passed >= rule->first) return false;
  if (rule->predicate && !rule->predicate(call)) return false;
  ++name.second.passed;
  return true;
}

}  // namespace safestructures::inline v0::recording
