#include "recording/segments/segment_order.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "data/text/printable.hpp"

namespace safestructures::inline v0::recording {
namespace {

/// Returns what follows a key; empty if the key is missing. Keys cannot be confused with names,
/// which come after them and whose quotes are escaped.
std::string_view behind(std::string_view json, std::string_view key) {
  const std::size_t at = json.find(key);
  return at == std::string_view::npos ? std::string_view() : json.substr(at + key.size());
}

std::optional<std::uint64_t> number_behind(std::string_view json, std::string_view key) {
  const std::string_view text = behind(json, key);
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

SegmentAbout read_about(std::string_view about) {
  SegmentAbout read;
  read.version = number_behind(about, "\"version\": ");
  read.segment = number_behind(about, "\"segment\": ");
  read.closed = about.find("\"closed\": true") != std::string_view::npos;
  const std::string_view run = behind(about, "\"run\": \"");
  read.run = run.substr(0, run.find('"'));
  if (const std::string_view counts = behind(about, "\"counts\": {"); !counts.empty())
    read.kept = number_behind(counts.substr(0, counts.find('}')), "\"kept\": ").value_or(0);
  return read;
}

std::vector<std::string> SegmentOrder::add(std::uint64_t number, const std::filesystem::path& file,
                                           const SegmentAbout& about,
                                           std::span<const std::uint64_t> sequence) {
  std::vector<std::string> faults;
  const bool is_other_number = about.segment && *about.segment != number;
  if (is_other_number) faults.push_back(other_number_text(file, *about.segment));
  if (run_.empty() && !about.run.empty()) {
    run_ = about.run;
    run_file_ = file.filename().string();
  }
  const bool is_other_run = !about.run.empty() && about.run != run_;
  if (is_other_run)
    faults.push_back(file.filename().string() + " is of another recording than " + run_file_);
  const auto first = std::ranges::lower_bound(sequence, next_sequence_);
  if (const auto taken = static_cast<std::uint64_t>(first - sequence.begin()); taken != 0)
    faults.push_back(file.filename().string() + " has " + detail::counted(taken, "record") +
                     (taken == 1 ? " that is" : " that are") +
                     " no later than those of segments before it: not read");
  if (!sequence.empty()) next_sequence_ = std::max(next_sequence_, sequence.back() + 1);
  is_closed_ = about.closed && !is_other_number && !is_other_run;
  return faults;
}

std::string behind_text(const std::filesystem::path& file, std::uint64_t closing) {
  return file.filename().string() + " comes after segment " + std::to_string(closing) +
         ", which closed the recording, and was not read";
}

std::string other_number_text(const std::filesystem::path& file, std::uint64_t said) {
  return file.filename().string() + " says that it is segment " + std::to_string(said) +
         " of its recording";
}

}  // namespace safestructures::inline v0::recording
