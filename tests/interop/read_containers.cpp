// Says of many safetensors files whether they are read, for Python to compare: on standard input,
// each behind eight bytes of its length; a line for each, empty for what is read, else the error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/safetensors.hpp>

int main() {
  std::ios::sync_with_stdio(false);
  std::string file;
  char length[8];
  while (std::cin.read(length, sizeof length)) {
    std::uint64_t size = 0;
    for (std::size_t i = sizeof length; i-- > 0;)
      size = size << 8U | static_cast<unsigned char>(length[i]);
    file.resize(static_cast<std::size_t>(size));
    if (!std::cin.read(file.data(), static_cast<std::streamsize>(size))) return 1;
    std::string verdict;
    try {
      static_cast<void>(
          safestructures::safetensors::File::from_bytes(std::as_bytes(std::span(file)), nullptr));
    } catch (const safestructures::Error& error) {
      verdict = error.what();
      std::ranges::replace(verdict, '\n', ' ');
    }
    std::cout << verdict << '\n';
  }
  return 0;
}
