#include <safestructures/testing/near.hpp>

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>

#include <safestructures/compare/compare.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/tools/document.hpp>
#include "data/text/printable.hpp"

namespace safestructures::inline v0::testing {
namespace {

// Few, because a test's log is read from its end.
constexpr std::size_t most_rows = 20;

}  // namespace

NearResult structures_near(const Value& actual, const std::filesystem::path& golden,
                           const CompareOptions& options) {
  std::string file;
  detail::append_printable(file, golden.string());
  try {
    const Document document = Document::open(
        golden, {.format = options.format, .access = options.access, .limits = options.limits});
    const Comparison found = compare(actual, document, options);
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
