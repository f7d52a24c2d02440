#include "data/conversion/converter.hpp"

#include <algorithm>
#include <utility>

#include "data/conversion/convert_exact.hpp"

namespace safestructures::inline v0::detail {

Converter::Converter(DType from, DType to, Overflow overflow, std::uint64_t expected)
    : from_(from), to_(to), overflow_(overflow), steps_(from, to, best_instructions()) {
  if (!steps_ && expected >= CodeTable::least_elements && CodeTable::is_for(from, to))
    table_.emplace(from, to);
}

void Converter::convert(const std::byte* source, std::byte* target, std::uint64_t count,
                        std::uint64_t first) {
  if (steps_) convert_in_steps(source, target, count, first);
  else if (table_) add(table_->convert(source, target, count, overflow_, first));
  else add(convert_exactly(from_, source, to_, target, count, overflow_, first));
}

void Converter::convert_in_steps(const std::byte* source, std::byte* target, std::uint64_t count,
                                 std::uint64_t first) {
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, kernel_elements));
    if (const auto counts = steps_.run(source, target, now)) {
      report_.underflow += counts->underflow;
      report_.nan_changes += counts->nan_changes;
      report_.inexact += counts->inexact;
    } else {
      add(convert_exactly(from_, source, to_, target, now, overflow_, first));
    }
    count -= now;
    first += now;
    source += now * (bit_width(from_) / 8);
    target += now * (bit_width(to_) / 8);
  }
}

// Runs may come in any order.
void Converter::add(ConversionReport part) {
  if (part.first_overflow && report_.first_overflow > part.first_overflow)
    std::swap(part.first_overflow, report_.first_overflow);
  report_ += part;
}

}  // namespace safestructures::inline v0::detail
