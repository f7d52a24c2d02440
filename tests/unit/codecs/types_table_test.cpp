// The README's table of types: its text is here, and each row is tried.
#include <array>
#include <complex>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Core>

#include <safestructures/plugins/eigen.hpp>
#include <safestructures/safestructures.hpp>

namespace ss = safestructures;

namespace types_table {

enum class Colour { red, green };
struct Point {
  double x = 0;
  double y = 0;
};
class Money {
 public:
  explicit Money(std::int64_t cents) : cents_(cents) {}
  [[nodiscard]] std::int64_t cents() const { return cents_; }

 private:
  std::int64_t cents_;
};

}  // namespace types_table

template <>
struct ss::Codec<types_table::Money> {
  static constexpr std::string_view type_name = "acme.Money";
  static ss::Value encode(const types_table::Money& money, ss::Encoder&) { return money.cents(); }
  static types_table::Money decode(const ss::Value& value, ss::Decoder& decoder) {
    return types_table::Money(decoder.decode<std::int64_t>(value));
  }
};

namespace {

struct Row {
  std::string cpp;
  std::string file;
  std::string python;
  std::vector<ss::Kind> kinds;  ///< What the samples must become.
  std::function<std::vector<ss::Value>()> samples;
};

/// Values of some objects; those that are saved are loaded again by their own types.
template <class... T>
std::vector<ss::Value> values(const T&... objects) {
  const auto check = [](const auto& object) {
    using Object = std::decay_t<decltype(object)>;
    const std::vector<std::byte> bytes = ss::save(object);
    if constexpr (ss::Decodable<Object>) CHECK_NOTHROW(static_cast<void>(ss::load<Object>(bytes)));
    ss::Value value = ss::Value::from(object);
    value.own();
    return value;
  };
  return {check(objects)...};
}

const std::vector<float> numbers = {1, 2, 3};

const std::vector<Row> rows = {
    {"`bool`, integers, `float`, `double`",
     "`bool`, `int`, `float`",
     "the same",
     {ss::Kind::boolean, ss::Kind::integer, ss::Kind::integer, ss::Kind::floating,
      ss::Kind::floating},
     [] { return values(true, -3, std::uint64_t{18446744073709551615U}, 1.5F, 0.1); }},
    {"`std::complex`",
     "`complex`",
     "`complex`",
     {ss::Kind::complex, ss::Kind::complex},
     [] { return values(std::complex<float>(1, 2), std::complex<double>(3, 4)); }},
    {"`std::string`, `std::filesystem::path`, enums (by name)",
     "`str`",
     "`str`",
     {ss::Kind::string, ss::Kind::string, ss::Kind::string},
     [] {
       return values(std::string("a"), std::filesystem::path("/b"), types_table::Colour::green);
     }},
    {"`std::vector`, `std::array`, `std::span` of numbers",
     "tensor",
     "`numpy.ndarray`",
     {ss::Kind::tensor, ss::Kind::tensor, ss::Kind::tensor},
     [] { return values(numbers, std::array<int, 2>{1, 2}, std::span<const float>(numbers)); }},
    {"`Eigen::Matrix`, `Array`, `Map`, `Block`",
     "tensor, row-major",
     "`numpy.ndarray`",
     {ss::Kind::tensor, ss::Kind::tensor, ss::Kind::tensor, ss::Kind::tensor},
     [] {
       static const Eigen::Matrix2d matrix = Eigen::Matrix2d::Identity();
       const Eigen::Array<int, Eigen::Dynamic, 1> array = Eigen::Array<int, 3, 1>::Ones();
       std::vector<ss::Value> made = values(matrix, array);
       made.push_back(ss::Value::from(Eigen::Map<const Eigen::VectorXf>(numbers.data(), 3)));
       made.push_back(ss::Value::from(matrix.row(1)));  // Views are saved, and loaded as a Matrix.
       return made;
     }},
    {"other sequences: `vector`, `list`, `deque`, ...",
     "`list`",
     "`list`",
     {ss::Kind::list, ss::Kind::list, ss::Kind::list},
     [] {
       return values(std::vector<std::string>{"a"}, std::list<bool>{true},
                     std::deque<std::string>{"b"});
     }},
    {"`std::pair`, `std::tuple`",
     "`tuple`",
     "`tuple`",
     {ss::Kind::tuple, ss::Kind::tuple},
     [] { return values(std::pair(1, true), std::tuple(1, std::string("a"), 0.5)); }},
    {"`std::set`, `std::unordered_set`",
     "`set`",
     "`set`",
     {ss::Kind::set, ss::Kind::set},
     [] { return values(std::set{1, 2}, std::unordered_set<std::string>{"a"}); }},
    {"`std::map`, `std::unordered_map`",
     "`dict`, keys of any kind",
     "`dict`",
     {ss::Kind::dict, ss::Kind::dict},
     [] {
       return values(std::map<int, std::string>{{1, "a"}},
                     std::unordered_map<std::string, int>{{"b", 2}});
     }},
    {"plain structs",
     "struct, by field names",
     "a dataclass",
     {ss::Kind::structure},
     [] { return values(types_table::Point{1, 2}); }},
    {"`std::optional`, smart pointers",
     "the value, or `None`",
     "the same",
     {ss::Kind::integer, ss::Kind::none, ss::Kind::integer, ss::Kind::none},
     [] {
       return values(std::optional<int>(1), std::optional<int>(), std::make_shared<int>(2),
                     std::unique_ptr<int>());
     }},
    {"`std::variant`",
     "the alternative, tagged where needed",
     "the alternative",
     {ss::Kind::string, ss::Kind::integer},
     [] {
       using Either = std::variant<int, std::string>;
       return values(Either("a"), Either(1));
     }},
    {"`std::vector<std::byte>`",
     "`bytes`",
     "`bytes`, with [our plugin](plugins/python/README.md)",
     {ss::Kind::bytes},
     [] { return values(std::vector<std::byte>(3)); }},
    {"your class, by a `Codec<T>`",
     "custom, by its name",
     "what a Python plugin makes of it",
     {ss::Kind::custom},
     [] { return values(types_table::Money(5)); }},
};

}  // namespace

TEST_CASE("every row of the README's table of types is true") {
  for (const Row& row : rows) {
    CAPTURE(row.cpp);
    const std::vector<ss::Value> made = row.samples();
    REQUIRE(made.size() == row.kinds.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      CAPTURE(i);
      CHECK(made[i].kind() == row.kinds[i]);
    }
  }
}

TEST_CASE("the README's table of types is the one that is tried here") {
  std::ifstream file(std::filesystem::path(SAFESTRUCTURES_TEST_DATA).parent_path() / "README.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string table = "| C++ | in the file | Python sees |\n|---|---|---|\n";
  for (const Row& row : rows)
    table += "| " + row.cpp + " | " + row.file + " | " + row.python + " |\n";
  CHECK(text.str().find("types_table_test.cpp -->\n" + table + "<!-- types end -->") !=
        std::string::npos);
}
