/// \file
/// Burn's records: recorders, parameters, enums, and the records of Burn's own modules and
/// optimizers.
///
///     #include <safestructures/burn/burn.hpp>
///     namespace burn = safestructures::burn;
///
///     struct Model {
///       burn::Linear input;
///       std::vector<burn::Conv2d> convs;
///     };
///     Model model = safestructures::load_file<Model>("model.mpk");
#pragma once

#include <safestructures/burn/enum.hpp>
#include <safestructures/burn/modules.hpp>
#include <safestructures/burn/optimizers.hpp>
#include <safestructures/burn/param.hpp>
#include <safestructures/burn/recorder.hpp>
#include <safestructures/safestructures.hpp>
