/// \file
/// Where an error in the numbers of a comparison is.
#pragma once

#include <functional>
#include <string>

#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>

namespace safestructures::inline v0::comparing {

/// Returns how errors name the first or second side if what is wrong names no file.
using NameOf = std::function<std::string(bool is_of_b)>;

/// The tensors of a row whose numbers were read; null for a side without one.
struct ReadTensors {
  const Tensor* a = nullptr;
  const Tensor* b = nullptr;
};

/// Returns an error with the path of its row and the name of the side that cannot be read, as far
/// as the error lacks them. If both can be, which is found out by reading them again, a structure
/// is at fault that is a further run. \param name_of may be null
[[nodiscard]] Error located(const Error& error, const std::string& path, const ReadTensors& read,
                            const NameOf& name_of);

}  // namespace safestructures::inline v0::comparing
