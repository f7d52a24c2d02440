// npz: every number an array with the path as its name; a list of structs of numbers as an array
// for each field.
#include "npz.hpp"

#include <zlib.h>

#include "peer.hpp"

namespace bench {
namespace {

template <class T>
constexpr std::string_view numpy_type() {
  if constexpr (std::is_same_v<T, float>) return "<f4";
  else if constexpr (std::is_same_v<T, double>) return "<f8";
  else if constexpr (std::is_same_v<T, std::int64_t>) return "<i8";
  else if constexpr (std::is_same_v<T, std::int32_t>) return "<i4";
  else return "|b1";
}

struct Put {
  NpzWriter& out;

  void operator()(const std::string& name, const std::string& text) const {
    out.add(name, "|S" + std::to_string(text.size()), "", text.data(), text.size());
  }
  template <class T>
  void operator()(const std::string& name, const std::vector<T>& values) const {
    if constexpr (std::is_arithmetic_v<T>) {
      out.add(name, numpy_type<T>(), std::to_string(values.size()) + ",", values.data(),
              values.size() * sizeof(T));
    } else if constexpr (std::is_same_v<T, Particle>) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (column<I>(name, values), ...);
      }(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
    } else {
      for (std::size_t i = 0; i < values.size(); ++i)
        (*this)(name + "." + std::to_string(i), values[i]);
    }
  }
  template <class T>
  void operator()(const std::string& name, const T& value) const {
    if constexpr (Record<T>)
      boost::pfr::for_each_field(value, [&](const auto& field, std::size_t i) {
        (*this)(name + "." + std::to_string(i), field);
      });
    else out.add(name, numpy_type<T>(), "", &value, sizeof value);
  }

 private:
  template <std::size_t I>
  void column(const std::string& name, const std::vector<Particle>& particles) const {
    std::vector<boost::pfr::tuple_element_t<I, Particle>> values;
    values.reserve(particles.size());
    for (const Particle& particle : particles) values.push_back(boost::pfr::get<I>(particle));
    (*this)(name + "." + std::to_string(I), values);
  }
};

struct Get {
  NpzReader& in;

  void operator()(const std::string& name, std::string& text) const {
    text.resize(in.find(name));
    in.read(text.data(), text.size());
  }
  template <class T>
  void operator()(const std::string& name, std::vector<T>& values) const {
    if constexpr (std::is_arithmetic_v<T>) {
      values.resize(in.find(name) / sizeof(T));
      in.read(values.data(), values.size() * sizeof(T));
    } else if constexpr (std::is_same_v<T, Particle>) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (column<I>(name, values), ...);
      }(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
    } else {
      for (std::size_t i = 0; has(name + "." + std::to_string(i)); ++i)
        (*this)(name + "." + std::to_string(i), values.emplace_back());
    }
  }
  template <class T>
  void operator()(const std::string& name, T& value) const {
    if constexpr (Record<T>) {
      boost::pfr::for_each_field(value, [&](auto& field, std::size_t i) {
        (*this)(name + "." + std::to_string(i), field);
      });
    } else {
      require(in.find(name) == sizeof value, "another dtype");
      in.read(&value, sizeof value);
    }
  }

 private:
  /// An array of that name, or a struct, whose first field it has.
  [[nodiscard]] bool has(const std::string& name) const {
    return in.has(name) || in.has(name + ".0");
  }
  template <std::size_t I>
  void column(const std::string& name, std::vector<Particle>& particles) const {
    std::vector<boost::pfr::tuple_element_t<I, Particle>> values;
    (*this)(name + "." + std::to_string(I), values);
    particles.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) boost::pfr::get<I>(particles[i]) = values[i];
  }
};

struct Npz {
  static std::string version() { return "of our own, zlib " ZLIB_VERSION; }

  template <class T>
  static void save(const T& object, const std::string& file) {
    NpzWriter writer(file);
    Put{writer}("root", object);
    writer.finish();
  }
  template <class T>
  static T load(const std::string& file) {
    NpzReader reader(file);
    T result;
    Get{reader}("root", result);
    return result;
  }
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Npz>(argc, argv); }
