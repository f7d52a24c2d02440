// Writes the family of malformed containers, for Python's safetensors to judge as well:
// write_malformed FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "../malformed/safetensors_cases.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_malformed FOLDER\n";
    return 2;
  }
  // A case of 100 MB says nothing here that smaller ones do not.
  constexpr std::size_t largest = 10'000'000;
  for (const auto& one : safestructures::malformed::safetensors_cases()) {
    if (one.bytes.size() > largest) continue;
    std::string name = one.name;
    for (char& c : name)
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '_';
    std::ofstream file(std::filesystem::path(argv[1]) / (name + ".safetensors"), std::ios::binary);
    file << one.bytes;
    if (!file.flush()) {
      std::cerr << "cannot write " << name << '\n';
      return 1;
    }
  }
  return 0;
}
