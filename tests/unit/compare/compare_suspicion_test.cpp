/// \file
/// The usual faults of a port, planted one at a time: each is suspected, and nothing else first.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/compare/compare.hpp>
#include <safestructures/recording/recorder.hpp>
#include <safestructures/safestructures.hpp>
#include "support/folder.hpp"
#include "support/gaussian.hpp"
#include "support/suspected.hpp"

namespace {

namespace ss = safestructures;
using Numbers = std::vector<double>;

// Two texts of sixteen tokens, four heads of eight.
constexpr std::size_t batch = 2;
constexpr std::size_t length = 16;
constexpr std::size_t width = 32;
constexpr std::size_t head = 8;
constexpr std::size_t rows = batch * length;
const ss::Shape shape{batch, length, width};

Numbers gaussian(std::size_t count, unsigned seed, double size = 1) {
  return ss::test::gaussian<double>(count, seed, size);
}

/// Rows of other sizes, as norms get them.
Numbers uneven_rows(unsigned seed) {
  Numbers numbers = gaussian(rows * width, seed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] *= std::exp2(-static_cast<double>(i / width % 5)) * 0.1;
  return numbers;
}

Numbers norm(const Numbers& x, double epsilon, bool is_centred, bool has_bias) {
  const Numbers weight = gaussian(width, 90, 0.2);
  const Numbers bias = gaussian(width, 91);
  Numbers made(x.size());
  for (std::size_t row = 0; row < rows; ++row) {
    double mean = 0;
    for (std::size_t j = 0; is_centred && j < width; ++j) mean += x[row * width + j] / width;
    double variance = 0;
    for (std::size_t j = 0; j < width; ++j)
      variance += std::pow(x[row * width + j] - mean, 2) / width;
    for (std::size_t j = 0; j < width; ++j)
      made[row * width + j] =
          (x[row * width + j] - mean) / std::sqrt(variance + epsilon) * (1 + weight[j]) +
          (has_bias ? bias[j] : 0);
  }
  return made;
}

Numbers linear(const Numbers& x, bool is_transposed, bool has_bias = true) {
  const Numbers weight = gaussian(width * width, 5, 0.2);
  const Numbers bias = gaussian(width, 6);
  Numbers made(x.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t j = 0; j < width; ++j) {
      double sum = has_bias ? bias[j] : 0;
      for (std::size_t k = 0; k < width; ++k)
        sum += x[row * width + k] * weight[is_transposed ? j * width + k : k * width + j];
      made[row * width + j] = sum;
    }
  return made;
}

Numbers rope(const Numbers& x, bool are_neighbours, double offset = 0) {
  Numbers made = x;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t start = 0; start < width; start += head)
      for (std::size_t pair = 0; pair < head / 2; ++pair) {
        const std::size_t first = row * width + start + (are_neighbours ? 2 * pair : pair);
        const std::size_t second = first + (are_neighbours ? 1 : head / 2);
        const double frequency = std::pow(10000, -2.0 * static_cast<double>(pair) / head);
        const double angle = (static_cast<double>(row % length) + offset) * frequency;
        const std::complex<double> turned =
            std::complex<double>(x[first], x[second]) * std::polar(1.0, angle);
        made[first] = turned.real();
        made[second] = turned.imag();
      }
  return made;
}

Numbers each(const Numbers& x, const std::function<double(double)>& function) {
  Numbers made;
  for (const double number : x) made.push_back(function(number));
  return made;
}

/// Number i of the result is number `from(row, column)` of x's same row.
Numbers moved(const Numbers& x, const std::function<std::size_t(std::size_t)>& column) {
  Numbers made(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) made[i] = x[i / width * width + column(i % width)];
  return made;
}

double gelu(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }
double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

struct Fault {
  std::string name;
  std::string expected;  ///< Empty: nothing.
  Numbers a;
  Numbers b;
  Numbers input = {};
  bool survives_half = true;
  ss::Shape of = shape;
};

/// Causal attention's probabilities of a text of eight; `seen` more than itself and what is before.
Numbers attention(std::ptrdiff_t seen) {
  constexpr std::size_t size = 8;
  const Numbers scores = gaussian(4 * size * size, 70);
  Numbers made(scores.size());
  for (std::size_t row = 0; row < 4 * size; ++row) {
    double sum = 0;
    for (const bool is_sum : {true, false})
      for (std::size_t j = 0; j < size; ++j) {
        const bool is_seen =
            static_cast<std::ptrdiff_t>(j) <= static_cast<std::ptrdiff_t>(row % size) + seen;
        const double weight = is_seen ? std::exp(scores[row * size + j]) : 0;
        if (is_sum) sum += weight;
        else made[row * size + j] = weight / sum;
      }
  }
  return made;
}

std::vector<Fault> faults() {
  const Numbers x = gaussian(rows * width, 1);
  const Numbers y = gaussian(rows * width, 2);
  const Numbers small = uneven_rows(3);
  std::vector<Fault> list;
  const auto add = [&](Fault fault) { list.push_back(std::move(fault)); };
  add({"scale", "missing scale", each(x, [](double v) { return v * std::sqrt(8.0); }), x});
  add({"sign", "missing scale", each(x, [](double v) { return -v; }), x});
  for (const bool is_centred : {true, false})
    for (const bool has_bias : {true, false})
      add({"epsilon, input known", "norm epsilon", norm(small, 1e-4, is_centred, has_bias),
           norm(small, 1e-6, is_centred, has_bias), small});
  add({"epsilon alone", "norm epsilon", norm(small, 1e-4, true, false),
       norm(small, 1e-6, true, false)});
  Numbers without = y;
  Numbers with = y;
  for (std::size_t i = 0; i < x.size(); ++i) with[i] += x[i];
  add({"no residual", "wrong residual", without, with, x});
  add({"no bias", "missing bias", linear(x, false, false), linear(x, false, true), x});
  add({"transposed weight", "transposed weight", linear(x, true), linear(x, false), x});
  add({"two heads", "permuted heads",
       moved(x, [](std::size_t j) { return j < 2 * head ? (j + head) % (2 * head) : j; }), x});
  add({"all heads", "permuted heads",
       moved(x, [](std::size_t j) { return (j / head + 1) % 4 * head + j % head; }), x});
  add({"neighbours for halves", "RoPE interleaving",
       moved(x, [](std::size_t j) { return j / head * head + j % head / 2 + j % 2 * (head / 2); }),
       x});
  add({"RoPE", "RoPE interleaving", rope(x, true), rope(x, false), x});
  add({"RoPE alone", "RoPE interleaving", rope(x, true), rope(x, false)});
  add({"RoPE from 1", "position offset", rope(x, false, 1), rope(x, false, 0)});
  add({"RoPE of neighbours from 1", "position offset", rope(x, true, 1), rope(x, true, 0), x});
  Numbers later(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    later[i] = x[(i / width % length == length - 1 ? i : i + width)];
  add({"one token on", "position offset", later, x});
  // A seventeenth of the error is something else.
  for (std::size_t i = 0; i < x.size(); ++i) later[i] += 0.35 * y[i];
  add({"one token on, and noise", "position offset", later, x});
  const Numbers positions = gaussian((length + 1) * width, 8);
  Numbers embedded = x;
  Numbers shifted = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    embedded[i] += positions[i % (length * width)];
    shifted[i] += positions[i % (length * width) + width];
  }
  add({"learned positions from 1", "position offset", shifted, embedded, x});
  add({"GELU", "GELU variant", each(x, gelu_tanh), each(x, gelu), x, false});
  add({"GELU alone", "GELU variant", each(x, gelu), each(x, gelu_tanh), {}, false});
  add({"SiLU", "other activation", each(x, [](double v) { return v / (1 + std::exp(-v)); }),
       each(x, [](double v) { return std::max(v, 0.0); }), x});
  add({"a mask that leaks", "mask off by one", attention(1), attention(0), {}, true, {2, 2, 8, 8}});
  Numbers leaking = y;
  for (std::size_t i = 0; i < leaking.size(); ++i)
    if (i / width % length != length - 1) leaking[i] += 0.1 * x[i];
  add({"what a leaking mask makes", "mask off by one", leaking, y});
  Numbers blind = y;
  for (std::size_t i = 0; i < blind.size(); ++i)
    if (i / width % length == 0) blind[i] = NAN;
  add({"a mask that hides all", "mask off by one", blind, y});
  Numbers padded = y;
  for (std::size_t i = 0; i < padded.size(); ++i)
    if (i / width % length > 11 && i / width / length == 1) padded[i] = 0;
  add({"padding", "padding", padded, y});
  Numbers one_text = y;
  for (std::size_t i = one_text.size() / 2; i < one_text.size(); ++i) one_text[i] += 0.1 * x[i];
  add({"one text", "padding", one_text, y});
  const auto rounded = [](double v) {
    return static_cast<double>(
        static_cast<float>(static_cast<ss::half>(v * (1 + 1e-3 * std::sin(1e3 * v)))));
  };
  add({"sums in half precision", "accumulation dtype", each(y, rounded), y, {}, false});
  // Below 2^-14 halves are 2^-24 apart.
  const Numbers tiny = each(y, [](double v) { return std::ldexp(v, -16); });
  add({"tiny sums in half precision", "accumulation dtype", each(tiny, rounded), tiny, {}, false});
  // What is none of these.
  for (const double size : {1e-5, 1e-3, 0.1, 1.0}) {
    Numbers noisy = y;
    const Numbers noise = gaussian(y.size(), 50, size);
    for (std::size_t i = 0; i < y.size(); ++i) noisy[i] += noise[i];
    add({"noise", "", noisy, y, x});
    for (std::size_t i = 0; i < y.size(); ++i) noisy[i] = y[i] * (1 + noise[i]);
    add({"relative noise", "", noisy, y});
  }
  add({"other numbers", "", x, y, small});
  Numbers spike = y;
  spike[777] += 1;
  add({"one number", "", spike, y, x});
  spike = y;
  spike.back() += 1;
  add({"the last number", "", spike, y});
  return list;
}

/// The same so many times, as in a larger batch.
Fault repeated(Fault fault, std::size_t times) {
  for (Numbers* const numbers : {&fault.a, &fault.b, &fault.input}) {
    const Numbers once = *numbers;
    for (std::size_t i = 1; i < times; ++i)
      numbers->insert(numbers->end(), once.begin(), once.end());
  }
  std::vector<std::uint64_t> sizes(fault.of.begin(), fault.of.end());
  sizes.front() *= times;
  fault.of = ss::Shape(sizes);
  return fault;
}

template <class T>
ss::Tensor tensor(const Numbers& numbers, const ss::Shape& of) {
  std::vector<T> made;
  for (const double number : numbers) made.push_back(static_cast<T>(static_cast<float>(number)));
  return ss::Tensor::own(std::move(made), ss::Shape(of));
}

template <class T>
std::vector<ss::Suspicion> suspected(const Fault& fault) {
  const ss::Tensor input = fault.input.empty() ? ss::Tensor() : tensor<T>(fault.input, fault.of);
  return ss::test::suspected(tensor<T>(fault.a, fault.of), tensor<T>(fault.b, fault.of),
                             fault.input.empty() ? nullptr : &input);
}

void check(const Fault& fault, const std::vector<ss::Suspicion>& found) {
  std::string all;
  for (const ss::Suspicion& one : found)
    all +=
        one.fault + ": " + one.evidence + " " + std::to_string(one.explained.value_or(-1)) + "\n";
  CAPTURE(fault.name);
  CAPTURE(all);
  if (fault.expected.empty()) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(!found.empty());
  CHECK(found.front().fault == fault.expected);
  CHECK(!found.front().evidence.empty());
  // An interleaving is an order of blocks too, and said once.
  CHECK((fault.expected != "RoPE interleaving" || !ss::test::names(found, "permuted heads")));
  CHECK(found.size() <= 2);
}

}  // namespace

TEST_CASE("a planted fault is suspected before any other, and noise is not") {
  for (const Fault& fault : faults()) {
    check(fault, suspected<float>(fault));
    if (fault.survives_half) check(fault, suspected<ss::half>(fault));
  }
}

TEST_CASE("with the sides exchanged the same fault is suspected") {
  for (Fault fault : faults()) {
    // Where b has no number, there is nothing to compare with.
    if (fault.name == "a mask that hides all") continue;
    std::swap(fault.a, fault.b);
    check(fault, suspected<float>(fault));
  }
}

TEST_CASE("of many rows a few are tried first, and the same is suspected") {
  for (const Fault& fault : faults()) {
    const Fault larger = repeated(fault, 8);
    check(larger, suspected<float>(larger));
  }
}

TEST_CASE("a fault that only the rows and numbers tried first show is not suspected") {
  using Tried = bool (*)(std::size_t);
  const Tried in_rows = [](std::size_t i) { return i / width % 4 == 0; };
  const Tried by_input = [](std::size_t i) { return i % 3 == 0; };
  const Tried by_inverse = [](std::size_t i) { return i % 33 == 0; };
  const std::map<std::string, std::pair<Tried, double>> others = {
      {"epsilon, input known", {in_rows, 1}},
      {"RoPE", {in_rows, 1e-1}},
      {"RoPE from 1", {in_rows, 1}},
      {"GELU", {by_input, 1e-3}},
      {"SiLU", {by_input, 1}},
      {"GELU alone", {by_inverse, 4e-4}}};
  std::set<std::string> seen;
  for (const Fault& fault : faults()) {
    const auto found = others.find(fault.name);
    if (found == others.end()) continue;
    seen.insert(fault.name);
    const auto& [is_tried, size] = found->second;
    Fault larger = repeated(fault, 8);
    const Numbers noise = gaussian(larger.a.size(), 60);
    check(larger, suspected<double>(larger));
    for (std::size_t i = 0; i < noise.size(); ++i)
      if (!is_tried(i)) larger.a[i] = larger.b[i] + std::copysign(size, noise[i]);
    larger.expected.clear();
    check(larger, suspected<double>(larger));
  }
  CHECK(seen.size() == others.size());
}

TEST_CASE("the input is known beside other parts of its record, which may have other names") {
  const ss::test::Folder folder;
  const Numbers x = gaussian(rows * width, 1);
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    recorder.record("proj.input",
                    ss::Value::dict({{"x", tensor<float>(x, shape)}, {is_a ? "p" : "q", 1}}));
    recorder.record("proj", tensor<float>(linear(x, is_a), shape));
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.rows.size() == 4);
  REQUIRE(found.rows[3].suspicions.size() == 1);
  CHECK(found.rows[3].suspicions[0].fault == "transposed weight");
}

TEST_CASE("recordings and files show what is suspected; files without an input") {
  const ss::test::Folder folder;
  const Numbers x = gaussian(rows * width, 1);
  const Numbers right = linear(x, false);
  const Numbers wrong = linear(x, true);
  for (const bool is_a : {true, false}) {
    ss::ActivationRecorder recorder(folder / (is_a ? "a" : "b"));
    recorder.record("proj.input", tensor<float>(x, shape));
    recorder.record("proj", tensor<float>(is_a ? wrong : right, shape));
    // The next layer passes it on: nothing is looked for there.
    recorder.record("next.input", tensor<float>(is_a ? wrong : right, shape));
    recorder.close();
  }
  const ss::Comparison found = ss::compare_files(folder / "a", folder / "b");
  REQUIRE(found.rows.size() == 3);
  REQUIRE(found.rows[1].suspicions.size() == 1);
  CHECK(found.rows[1].suspicions[0].fault == "transposed weight");
  CHECK(found.rows[1].suspicions[0].evidence ==
        "with x the input's 32 rows less their mean, a xT is the transpose of b xT");
  CHECK(found.rows[2].suspicions.empty());
  CHECK(!found.is_equal());
  std::ostringstream text;
  found.write_text(text);
  CHECK(
      text.str().find("\nsuspicion: proj, step 0 call 0: transposed weight: with x the input's 32 "
                      "rows less their mean, a xT is the transpose of b xT; 100 % of the squared "
                      "difference\n") != std::string::npos);
  std::ostringstream json;
  found.write_json(json);
  CHECK(json.str().find(R"("suspicions": [{"fault": "transposed weight", "evidence": "with x)") !=
        std::string::npos);
  CHECK(
      ss::compare_files(folder / "a", folder / "b", {.suggest = false}).rows[1].suspicions.empty());

  const auto file = [&](const Numbers& numbers) {
    return ss::Value::dict({{"weight", tensor<float>(numbers, {rows, width})}});
  };
  const ss::Comparison weights =
      ss::compare(file(each(x, [](double v) { return v / std::sqrt(32.0); })), file(x));
  REQUIRE(weights.rows.at(0).suspicions.size() == 1);
  CHECK(weights.rows[0].suspicions[0].fault == "missing scale");
  CHECK(weights.rows[0].suspicions[0].evidence ==
        "a is b times 0.176777, one over the square root of 32");
}
