#include "recording/segments/segment_order.hpp"

#include <algorithm>

#include "data/text/printable.hpp"

namespace safestructures::inline v0::recording {

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
