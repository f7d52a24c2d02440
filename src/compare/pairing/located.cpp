#include "compare/pairing/located.hpp"

#include <cstdint>
#include <span>

#include "tools/doubles.hpp"

namespace safestructures::inline v0::comparing {
namespace {

bool can_be_read(const Tensor& tensor) {
  try {
    constexpr std::uint64_t block = 2048;
    detail::for_each_block_in_doubles(tensor, block,
                                      [](std::span<const double>, std::uint64_t, std::uint64_t) {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Error located(const Error& error, const std::string& path, const ReadTensors& read,
              const NameOf& name_of) {
  const Error here = error.with_path(path);
  if (!name_of || !here.details().file.empty()) return here;
  for (const bool is_of_b : {false, true}) {
    const Tensor* const tensor = is_of_b ? read.b : read.a;
    if (tensor != nullptr && !can_be_read(*tensor)) return here.with_file(name_of(is_of_b));
  }
  return here;
}

}  // namespace safestructures::inline v0::comparing
