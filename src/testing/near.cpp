#include <safestructures/testing/near.hpp>

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/tools/document.hpp>
#include "compare/rows/row_store.hpp"
#include "data/text/printable.hpp"

namespace safestructures::inline v0::testing {
namespace {

// A test's log is read from its end.
constexpr std::size_t most_rows = 20;

Comparison compare_with(const Value& actual, const Document& golden,
                        const CompareOptions& options) {
  Comparison found = compare(actual, golden.root(), options);
  comparing::RowStore& rows = *comparing::RowStore::of(found.rows);
  for (const auto& [name, tensor] : golden.content().extra_tensors) {
    ComparisonRow& row = rows.add();
    row.path = name;
    row.verdict = Verdict::only_b;
    row.detail = "a tensor that the file's structure does not use";
    ++found.coverage.only_b;
  }
  return found;
}

}  // namespace

NearResult structures_near(const Value& actual, const std::filesystem::path& golden,
                           const CompareOptions& options) {
  std::string file;
  detail::append_printable(file, golden.string());
  try {
    const Document document = Document::open(
        golden, {.format = options.format, .access = options.access, .limits = options.limits});
    const Comparison found = compare_with(actual, document, options);
    if (found.is_equal()) return {true, {}};
    std::ostringstream text;
    text << "a, the structure, differs from b, " << file << ":\n";
    found.write_text(text, {.rows = most_rows});
    return {false, std::move(text).str()};
  } catch (const Error& error) {
    std::string text;
    detail::append_printable(text, error.what());
    return {false, "the structure cannot be compared with " + file + ": " + text};
  }
}

}  // namespace safestructures::inline v0::testing
