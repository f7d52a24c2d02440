// The code of docs/plugins.md.
#include <any>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <safestructures/codecs/tensor_like.hpp>
#include <safestructures/data/type_info.hpp>
#include <safestructures/formats/json_schema.hpp>
#include <safestructures/safestructures.hpp>
namespace ss = safestructures;

class Money {
 public:
  explicit Money(std::int64_t cents) : cents_(cents) {}
  [[nodiscard]] std::int64_t cents() const { return cents_; }

 private:
  std::int64_t cents_;
};

template <>
struct ss::Codec<Money> {
  static constexpr std::string_view type_name = "acme.Money";
  static ss::Value encode(const Money& money, ss::Encoder& encoder) {
    return encoder.encode(money.cents());
  }
  static Money decode(const ss::Value& value, ss::Decoder& decoder) {
    return Money(decoder.decode<std::int64_t>(value));
  }
};

template <class T>
class Stack {
 public:
  void push(T item) { items_.push_back(std::move(item)); }
  [[nodiscard]] const std::vector<T>& items() const { return items_; }

 private:
  std::vector<T> items_;
};

template <class T>
struct ss::Codec<Stack<T>> {
  static constexpr ss::KindSet kinds = ss::Kind::list;
  static void describe_type(ss::TypeDescriber& type) { type.list<T>(); }
  static ss::Value encode(const Stack<T>& stack, ss::Encoder& encoder) {
    ss::Value list = ss::Value::list();
    for (std::size_t i = 0; i < stack.items().size(); ++i)
      list.push_back(encoder.encode_at(i, stack.items()[i]));
    return list;
  }
  static Stack<T> decode(const ss::Value& value, ss::Decoder& decoder) {
    if (!value.is_sequence()) decoder.mismatch("a list", value);
    Stack<T> stack;
    for (std::size_t i = 0; i < value.size(); ++i)
      stack.push(decoder.decode_at<T>(i, value.items()[i]));
    return stack;
  }
};

class Image {
 public:
  Image(std::uint64_t height, std::uint64_t width)
      : height_(height), width_(width), pixels_(height * width) {}
  [[nodiscard]] ss::Shape shape() const { return {height_, width_}; }
  [[nodiscard]] const std::vector<std::uint8_t>& pixels() const { return pixels_; }
  [[nodiscard]] std::vector<std::uint8_t>& pixels() { return pixels_; }

 private:
  std::uint64_t height_, width_;
  std::vector<std::uint8_t> pixels_;
};

template <>
struct ss::Codec<Image> {
  static ss::Value encode(const Image& image, ss::Encoder&) {
    ss::Value tensor(ss::Tensor::of<std::uint8_t>(image.pixels(), image.shape()));
    tensor.set_attribute("layout", "grey");
    return tensor;
  }
  static Image decode(const ss::Value& value, ss::Decoder& decoder) {
    if (value.kind() != ss::Kind::tensor || value.tensor().rank() != 2)
      decoder.mismatch("a tensor of rank 2", value);
    const ss::Tensor& tensor = value.tensor();
    Image image(tensor.shape()[0], tensor.shape()[1]);
    tensor.copy_to(ss::DType::U8, std::as_writable_bytes(std::span(image.pixels())));
    return image;
  }
};

// Another library's types: a vector that lives on the stack, an optional, a map, a grid of numbers.
template <class T>
class SmallVector {
 public:
  using value_type = T;
  void push_back(T item) { items_.push_back(std::move(item)); }
  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};
template <class T>
class Maybe {
 public:
  Maybe() = default;
  explicit Maybe(T object) : object_(std::move(object)) {}
  explicit operator bool() const { return object_.has_value(); }
  const T& operator*() const { return *object_; }

 private:
  std::optional<T> object_;
};
template <class K, class T>
struct SortedMap : std::map<K, T> {};
class Grid {
 public:
  Grid(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), cells_(rows * columns) {}
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] float* data() { return cells_.data(); }
  [[nodiscard]] const float* data() const { return cells_.data(); }

 private:
  std::size_t rows_, columns_;
  std::vector<float> cells_;
};

/// A handle that counts the owners of its object, as another library has it.
template <class T>
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::shared_ptr<T> object) : object_(std::move(object)) {}
  [[nodiscard]] T* get() const { return object_.get(); }

 private:
  std::shared_ptr<T> object_;
};

template <class T>
struct ss::Codec<Handle<T>> {
  static constexpr bool nullable = true;
  static ss::Value encode(const Handle<T>& handle, ss::Encoder& encoder) {
    if (handle.get() == nullptr) return {};
    return encoder.encode_shared(handle.get(), typeid(T),
                                 [&] { return ss::encode_held(*handle.get(), encoder); });
  }
  static Handle<T> decode(const ss::Value& value, ss::Decoder& decoder) {
    if (value.is_none()) return {};
    return Handle<T>(decoder.decode_shared<T>(
        value, [&] { return std::make_shared<T>(ss::decode_held<T>(value, decoder)); }));
  }
};

template <class T>
struct ss::Codec<SmallVector<T>> : ss::ListCodec<SmallVector<T>> {};  // has push_back
template <class T>
struct ss::Codec<Maybe<T>> : ss::HolderCodec<Maybe<T>, T> {};  // None, or a T
template <class K, class T>
struct ss::Codec<SortedMap<K, T>> : ss::MapCodec<SortedMap<K, T>> {};  // a dict

struct GridAccess {
  using Scalar = float;
  // A matrix of any size. Fixed and bounded ones: ss::Extent::fixed(3), ss::Extent::at_most(8).
  static std::optional<std::vector<ss::Extent>> shape() { return {{ss::Extent(), ss::Extent()}}; }
  static const float* data(const Grid& grid) { return grid.data(); }
  static ss::TensorLayout layout(const Grid& grid) {
    ss::TensorLayout layout;  // Strides are in bytes; here column-major.
    layout.add(grid.rows(), sizeof(float));
    layout.add(grid.columns(), sizeof(float) * grid.rows());
    return layout;
  }
  static Grid make(std::span<const std::uint64_t> sizes) { return Grid(sizes[0], sizes[1]); }
};
template <>
struct ss::Codec<Grid> : ss::TensorCodec<Grid, GridAccess> {};

class Account {
 public:
  Account() = default;
  Account(std::string owner, std::int64_t cents) : owner_(std::move(owner)), cents_(cents) {}
  [[nodiscard]] std::int64_t cents() const { return cents_; }

 private:
  std::string owner_;
  std::int64_t cents_ = 0;
  friend struct ss::Rules<Account>;
};

template <>
struct ss::Rules<Account> {
  static constexpr auto members = std::tuple{ss::member("owner", &Account::owner_).alias("holder"),
                                             ss::member("cents", &Account::cents_).optional()};
};

struct Camera {
  std::string name;
  float exposure = 0.01F;
  std::vector<float> cache;
};

template <>
struct ss::Rules<Camera> {
  static constexpr std::string_view name = "acme.Camera";
  static constexpr unsigned version = 2;
  static constexpr auto fields =
      ss::fields(ss::field("name").alias("label"),
                 ss::field("exposure").rename("exposure_s").optional(), ss::field("cache").skip());
  static void migrate(ss::Value& value, unsigned from_version) {
    if (from_version >= 2) return;
    // Version 1 stored milliseconds.
    if (const auto ms = value.erase("exposure_ms"))
      value.insert("exposure_s", ms->as_double() / 1000);
  }
};

struct Shape2 {
  virtual ~Shape2() = default;
};
struct Circle : Shape2 {
  explicit Circle(double r) : radius(r) {}
  double radius;
};

template <>
struct ss::Codec<Circle> {
  static constexpr std::string_view type_name = "acme.Circle";
  static ss::Value encode(const Circle& circle, ss::Encoder&) { return circle.radius; }
  static Circle decode(const ss::Value& value, ss::Decoder& decoder) {
    return Circle(decoder.decode<double>(value));
  }
};

namespace {

void check(bool right, const char* what) {
  if (right) return;
  std::cerr << "wrong: " << what << '\n';
  std::exit(1);
}

}  // namespace

int main() {
  ss::save_file(Money(1250), "money.safetensors");
  check(ss::load_file<Money>("money.safetensors").cents() == 1250, "money");

  Stack<std::string> stack;
  stack.push("a");
  check(ss::load<Stack<std::string>>(ss::save(stack)).items() == stack.items(), "stack");

  Image image(2, 3);
  image.pixels()[5] = 7;
  check(ss::load<Image>(ss::save(image)).pixels() == image.pixels(), "image");

  const Handle<Image> handle(std::make_shared<Image>(image));
  const std::vector<Handle<Image>> owners = {handle, Handle<Image>(), handle};
  ss::save_file(owners, "owners.safetensors");
  check(ss::open("owners.safetensors").state_dict().size() == 1, "stored once");
  const auto owners_again = ss::load_file<std::vector<Handle<Image>>>("owners.safetensors");
  check(owners_again.at(0).get() == owners_again.at(2).get(), "one object");
  check(owners_again.at(1).get() == nullptr, "none");

  const auto old_camera =
      ss::Value::structure("acme.Camera", {{"label", "front"}, {"exposure_ms", 20.0}});
  const auto camera = old_camera.as<Camera>();
  check(camera.name == "front" && camera.exposure == 0.02F, "camera");

  SmallVector<Maybe<int>> small;
  small.push_back(Maybe<int>(5));
  SortedMap<std::string, Grid> grids;
  grids.emplace("a", Grid(2, 3));
  grids.at("a").data()[1] = 7;  // Row 1, column 0.
  check(**ss::load<SmallVector<Maybe<int>>>(ss::save(small)).begin() == 5, "holder");
  const auto grids_again = ss::load<SortedMap<std::string, Grid>>(ss::save(grids));
  check(grids_again.at("a").data()[1] == 7, "grid");
  check(ss::load<Account>(ss::save(Account("Ada", 5))).cents() == 5, "account");

  const ss::TypeInfo& type = ss::type_info<Account>();
  std::cout << to_string(type) << '\n'  // struct Account {owner: str, cents: i64}
            << ss::json_schema<Account>();
  check(to_string(type) == "struct Account {owner: str, cents: i64}", "type");

  ss::Registry registry;
  registry.add<Circle, Shape2>();
  std::vector<std::unique_ptr<Shape2>> shapes;
  shapes.push_back(std::make_unique<Circle>(2.0));
  ss::save_file(shapes, "shapes.safetensors", {.registry = &registry});
  const auto again = ss::load_file<std::vector<std::unique_ptr<Shape2>>>("shapes.safetensors",
                                                                         {.registry = &registry});
  check(dynamic_cast<Circle&>(*again.at(0)).radius == 2.0, "shapes");

  ss::Registry by_name;
  by_name.add<Camera>("acme.Camera");  // A plain struct needs a name there.
  const std::vector<std::any> anything = {Camera{"front", 0.5F, {}}, std::string("text")};
  const auto loaded = ss::load<std::vector<std::any>>(ss::save(anything, {.registry = &by_name}),
                                                      {.registry = &by_name});
  check(std::any_cast<Camera>(loaded.at(0)).exposure == 0.5F, "any");

  // A type that the library knows already, saved in a way of one's own.
  ss::Registry temperatures;
  temperatures.add<float>(
      "acme.Celsius", [](const float& kelvin, ss::Encoder&) { return ss::Value(kelvin - 273.15F); },
      [](const ss::Value& value, ss::Decoder&) {
        return static_cast<float>(value.as_double()) + 273.15F;
      });
  const auto bytes = ss::save(300.0F, {.registry = &temperatures});
  check(std::abs(ss::load<float>(bytes, {.registry = &temperatures}) - 300.0F) < 1e-3F, "float");
  std::cout << ss::load(bytes);
}
