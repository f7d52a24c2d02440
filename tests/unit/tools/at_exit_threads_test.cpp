/// \file
/// Destructors of static objects, and threads that still run at the end of main, may save and load.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <safestructures/safestructures.hpp>

namespace ss = safestructures;
using ss::Value;

namespace at_exit_test {

enum class Color { red, green };
enum class Named { one, two };
struct Row {
  double x = 0;
  Color color = Color::red;
};
struct Layer {
  std::vector<float> weight;
};
struct Record {
  Layer layer;
};
struct Model {
  std::vector<Row> rows;
  Color color = Color::red;
  Named named = Named::one;
};

}  // namespace at_exit_test

template <>
struct safestructures::EnumNames<at_exit_test::Named> {
  static constexpr std::pair<at_exit_test::Named, std::string_view> values[] = {
      {at_exit_test::Named::one, "one"}, {at_exit_test::Named::two, "two"}};
};

namespace {

using at_exit_test::Color;
using at_exit_test::Model;
using at_exit_test::Named;
using at_exit_test::Record;

void require(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s\n", what);
  std::_Exit(1);
}

/// Every format, chosen in each way, and codecs that keep tables.
void save_and_load() {
  const Record record{{{1, 2}}};
  for (const auto& format : ss::formats::all()) {
    // Files of PyTorch are only read.
    if (format != ss::formats::pytorch()) {
      const auto bytes = ss::save(record, {.format = format});
      require(ss::load<Record>(bytes).layer.weight == record.layer.weight, "a record is another");
    }
    for (const std::string_view ending : format->extensions())
      require(ss::formats::for_name("x" + std::string(ending)) != nullptr, "a name is not known");
  }
  const Model model{{{1, Color::green}, {2, Color::red}}, Color::green, Named::two};
  const auto loaded = ss::load<Model>(ss::save(model, {.columns = true}));
  require(loaded.rows.size() == 2 && loaded.rows[0].color == Color::green, "columns are others");
  require(loaded.color == Color::green && loaded.named == Named::two, "enums are others");
  const Value value = Value::from(model.rows);
  require(value.type_name().empty() && value.attributes().empty(), "nothing is something");
}

/// Made before anything of the library's, so that it is destroyed behind it.
class Late {
 public:
  ~Late() {
    if (!thread_.joinable()) return;
    try {
      save_and_load();
    } catch (const std::exception& error) {
      require(false, error.what());
    }
    is_over_ = true;
    thread_.join();
  }
  void begin() {
    thread_ = std::thread([this] {
      while (!is_over_) save_and_load();
    });
  }

 private:
  std::thread thread_;
  std::atomic<bool> is_over_ = false;
} late;

}  // namespace

// What it finds ends the program with a failure, since main has returned by then.
TEST_CASE("a static object's destructor, and a thread that outlives main, save and load") {
  save_and_load();
  late.begin();
}
