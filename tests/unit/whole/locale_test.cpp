/// \file
/// Numbers are spelled and read the same under every locale: a program may have set one whose
/// decimal point is a comma, and which groups digits.
#include <doctest/doctest.h>

#include <clocale>
#include <complex>
#include <cstdint>
#include <locale>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <safestructures/burn/burn.hpp>
#include <safestructures/safestructures.hpp>
#include "support/burn_records.hpp"

namespace ss = safestructures;

namespace {

class Commas : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// C++'s global locale, and C's where the system has one with commas.
class LocaleWithCommas {
 public:
  LocaleWithCommas() : old_(std::locale::global(std::locale(std::locale(), new Commas))) {
    for (const char* const name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "pt_BR.UTF-8"})
      if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  ~LocaleWithCommas() {
    std::setlocale(LC_ALL, "C");
    std::locale::global(old_);
  }
  LocaleWithCommas(const LocaleWithCommas&) = delete;
  LocaleWithCommas& operator=(const LocaleWithCommas&) = delete;

 private:
  std::locale old_;
};

struct Numbers {
  double pi = 3.141592653589793;
  std::int64_t million = 1'000'000;
  std::complex<double> complex{1.5, -2.25};
  std::vector<float> tensor{0.5F, 1234567.F};
  std::map<double, int> keys{{1234.5, 1}};
};

/// Everything that spells a number.
std::vector<std::string> spellings() {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::byte>& bytes) {
    all.push_back(ss::test::text_of(bytes));
  };
  const Numbers numbers;
  add(ss::save(numbers));
  add(ss::save(numbers, {.format = ss::formats::json()}));
  add(ss::save(1234.5, {.format = ss::formats::burn({.encoding = ss::burn::Encoding::json})}));
  all.push_back(ss::to_string(ss::Value::from(numbers)));
  std::ostringstream out;
  out << ss::Value::from(numbers);
  all.push_back(out.str());
  try {
    static_cast<void>(ss::Value(1234567).as<std::int8_t>());
  } catch (const ss::Error& error) {
    all.emplace_back(error.what());
  }
  return all;
}

}  // namespace

TEST_CASE("numbers are spelled and read the same under a locale with decimal commas") {
  const std::vector<std::string> wanted = spellings();
  const LocaleWithCommas locale;
  std::ostringstream stream;
  stream << 1234.5;
  REQUIRE(stream.str() == "1.234,5");
  CHECK(spellings() == wanted);
  const Numbers numbers;
  for (const auto& format : {ss::formats::safestructures(), ss::formats::json()}) {
    const std::vector<std::byte> bytes = ss::save(numbers, {.format = format});
    const Numbers again = ss::load<Numbers>(bytes);
    CHECK(again.pi == numbers.pi);
    CHECK(again.million == numbers.million);
    CHECK(again.complex == numbers.complex);
    CHECK(again.tensor == numbers.tensor);
    CHECK(again.keys == numbers.keys);
  }
  const std::string record = ss::test::json_record("1234.5");
  CHECK(ss::load<double>(ss::test::view_of(record)) == 1234.5);
}
