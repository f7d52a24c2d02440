// What people record with today: `recorders PEER ACTION FILE COUNT BYTES`.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>
#include <cereal/archives/binary.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "measure.hpp"

namespace {

using namespace bench;

struct Job {
  std::string file;
  std::size_t count;
  std::size_t floats;
};

constexpr std::size_t layers = 100;

std::string name_of(std::size_t i) {
  return "layer" + std::to_string(i % layers) + "." + std::to_string(i / layers);
}

std::vector<std::vector<float>> outputs(const Job& job) {
  return std::vector<std::vector<float>>(std::min(job.count, layers),
                                         std::vector<float>(job.floats, 1));
}

/// Calls `write` with the name and the numbers of each record.
template <class Write>
void each(const Job& job, const std::vector<std::vector<float>>& source, const Write& write) {
  for (std::size_t i = 0; i < job.count; ++i) write(name_of(i), source[i % source.size()]);
}

/// A dataset for each call, in one file.
void hdf5(const Job& job) {
  const auto source = outputs(job);
  measure(2 * job.count * job.floats * sizeof(float), [&] {
    const hid_t file = H5Fcreate(job.file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    require(file >= 0, "cannot make the file");
    each(job, source, [&](const std::string& name, const std::vector<float>& numbers) {
      const hsize_t size = numbers.size();
      const hid_t space = H5Screate_simple(1, &size, nullptr);
      const hid_t set = H5Dcreate2(file, name.c_str(), H5T_NATIVE_FLOAT, space, H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT);
      require(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0,
              "cannot write");
      H5Dclose(set);
      H5Sclose(space);
    });
    H5Fclose(file);
  });
}

/// A file for each call, with the header that NumPy reads.
void npy(const Job& job) {
  const auto source = outputs(job);
  std::filesystem::create_directory(job.file);
  measure(2 * job.count * job.floats * sizeof(float), [&] {
    each(job, source, [&](const std::string& name, const std::vector<float>& numbers) {
      std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                           std::to_string(numbers.size()) + ",), }";
      header.resize(117, ' ');
      header += '\n';
      std::FILE* const file = std::fopen((job.file + "/" + name + ".npy").c_str(), "wb");
      require(file != nullptr, "cannot make a file");
      std::fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
      std::fwrite(header.data(), 1, header.size(), file);
      std::fwrite(numbers.data(), sizeof(float), numbers.size(), file);
      std::fclose(file);
    });
  });
}

/// All to one stream.
void cereal_stream(const Job& job) {
  const auto source = outputs(job);
  measure(2 * job.count * job.floats * sizeof(float), [&] {
    std::ofstream stream(job.file, std::ios::binary);
    cereal::BinaryOutputArchive archive(stream);
    each(job, source, [&](const std::string& name, const std::vector<float>& numbers) {
      archive(name, numbers);
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 5, "usage: recorders PEER FILE COUNT BYTES");
  const std::string_view peer = argv[1];
  const Job job{argv[2], std::stoul(argv[3]), std::stoul(argv[4]) / sizeof(float)};
  if (peer == "hdf5") hdf5(job);
  else if (peer == "npy") npy(job);
  else if (peer == "cereal") cereal_stream(job);
  else require(false, "recorders: unknown peer");
}
