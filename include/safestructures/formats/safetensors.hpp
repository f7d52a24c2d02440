/// \file
/// The safetensors container, usable without the rest of the library.
///
///     namespace st = safestructures::safetensors;
///     const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
///     const auto weight = safestructures::Tensor::of<float>(numbers, {2, 3});
///     st::write_file("model.safetensors", std::array{st::Item("weight", weight)},
///                    {{"run", "42"}});
///
///     const st::File file = st::File::open("model.safetensors");
///     const safestructures::Tensor again = file.tensor("weight");  // a view of the mapped file
///     std::span<const float> values = again.data<float>();
#pragma once

#include <safestructures/formats/safetensors/header.hpp>
#include <safestructures/formats/safetensors/reader.hpp>
#include <safestructures/formats/safetensors/writer.hpp>
