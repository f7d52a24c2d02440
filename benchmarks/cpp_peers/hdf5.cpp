// HDF5's C API: vectors of numbers as datasets, scalars as attributes, structs and lists as groups,
// structs of numbers alone as a dataset of a compound type.
#include <hdf5.h>

#include "peer.hpp"

namespace bench {
namespace {

/// An identifier that is closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    require(id >= 0, "HDF5 failed");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t result) { require(result >= 0, "HDF5 failed"); }

template <class T>
hid_t native() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  else if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  else return H5T_NATIVE_HBOOL;
}

Handle compound_of_particles() {
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Particle)), H5Tclose);
  const auto field = [&](const char* name, std::size_t offset, hid_t of) {
    check(H5Tinsert(type, name, offset, of));
  };
  field("x", offsetof(Particle, x), H5T_NATIVE_FLOAT);
  field("y", offsetof(Particle, y), H5T_NATIVE_FLOAT);
  field("z", offsetof(Particle, z), H5T_NATIVE_FLOAT);
  field("vx", offsetof(Particle, vx), H5T_NATIVE_FLOAT);
  field("vy", offsetof(Particle, vy), H5T_NATIVE_FLOAT);
  field("vz", offsetof(Particle, vz), H5T_NATIVE_FLOAT);
  field("mass", offsetof(Particle, mass), H5T_NATIVE_DOUBLE);
  field("kind", offsetof(Particle, kind), H5T_NATIVE_INT32);
  return Handle(H5Tcopy(type), H5Tclose);
}

template <class T>
void put_array(hid_t parent, const char* name, hid_t type, const std::vector<T>& numbers) {
  const hsize_t size = numbers.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
}

template <class T>
void get_array(hid_t parent, const char* name, hid_t type, std::vector<T>& numbers) {
  const Handle set(H5Dopen2(parent, name, H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(set), H5Sclose);
  numbers.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
}

Handle text_type(std::size_t size) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, std::max<std::size_t>(size, 1)));
  return Handle(H5Tcopy(type), H5Tclose);
}

void put_attribute(hid_t parent, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, value));
}

void put(hid_t parent, const char* name, const std::string& text);
void get(hid_t parent, const char* name, std::string& text);
template <class T>
void put(hid_t parent, const char* name, const T& value);
template <class T>
void get(hid_t parent, const char* name, T& value);
template <class T>
void put(hid_t parent, const char* name, const std::vector<T>& values);
template <class T>
void get(hid_t parent, const char* name, std::vector<T>& values);

template <class T>
void put(hid_t parent, const char* name, const std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) put_array(parent, name, native<T>(), values);
  else if constexpr (std::is_same_v<T, Particle>)
    put_array(parent, name, compound_of_particles(), values);
  else {
    const Handle group(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (std::size_t i = 0; i < values.size(); ++i)
      put(group, std::to_string(i).c_str(), values[i]);
  }
}
template <class T>
void get(hid_t parent, const char* name, std::vector<T>& values) {
  if constexpr (std::is_arithmetic_v<T>) get_array(parent, name, native<T>(), values);
  else if constexpr (std::is_same_v<T, Particle>)
    get_array(parent, name, compound_of_particles(), values);
  else {
    const Handle group(H5Gopen2(parent, name, H5P_DEFAULT), H5Gclose);
    H5G_info_t info;
    check(H5Gget_info(group, &info));
    values.resize(info.nlinks);
    for (std::size_t i = 0; i < values.size(); ++i)
      get(group, std::to_string(i).c_str(), values[i]);
  }
}

void put(hid_t parent, const char* name, const std::string& text) {
  put_attribute(parent, name, text_type(text.size()), text.data());
}
void get(hid_t parent, const char* name, std::string& text) {
  const Handle attribute(H5Aopen(parent, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  text.resize(H5Tget_size(type));
  check(H5Aread(attribute, type, text.data()));
}

template <class T>
void put(hid_t parent, const char* name, const T& value) {
  if constexpr (Record<T>) {
    const Handle group(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    boost::pfr::for_each_field(value, [&](const auto& field, std::size_t i) {
      put(group, std::to_string(i).c_str(), field);
    });
  } else put_attribute(parent, name, native<T>(), &value);
}
template <class T>
void get(hid_t parent, const char* name, T& value) {
  if constexpr (Record<T>) {
    const Handle group(H5Gopen2(parent, name, H5P_DEFAULT), H5Gclose);
    boost::pfr::for_each_field(
        value, [&](auto& field, std::size_t i) { get(group, std::to_string(i).c_str(), field); });
  } else {
    const Handle attribute(H5Aopen(parent, name, H5P_DEFAULT), H5Aclose);
    check(H5Aread(attribute, native<T>(), &value));
  }
}

struct Hdf5 {
  static std::string version() { return dotted(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE); }

  template <class T>
  static void save(const T& object, const std::string& file) {
    const Handle opened(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, newest()), H5Fclose);
    put(opened, "root", object);
  }
  template <class T>
  static T load(const std::string& file) {
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    T result;
    get(opened, "root", result);
    return result;
  }

 private:
  /// The newest layout of the file: groups with many members are faster in it.
  static hid_t newest() {
    static const Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    return list;
  }
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::peer_main<bench::Hdf5>(argc, argv); }
