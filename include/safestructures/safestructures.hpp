/// \file
/// safestructures: saves C++ data made of tensors and ordinary values in one safe file, and loads
/// it.
///
///     namespace ss = safestructures;
///
///     struct Layer { std::string name; std::vector<float> weight; std::optional<float> dropout; };
///     struct Model { std::vector<Layer> layers; std::map<std::int64_t, std::string> labels; };
///
///     ss::save_file(model, "model.safetensors", {.metadata = {{"run", "42"}}});
///     Model again   = ss::load_file<Model>("model.safetensors");  // typed
///     ss::Value any = ss::load_file("model.safetensors");         // dynamic
///
///     ss::Document doc = ss::open("model.safetensors");           // lazy: header and schema only
///     Layer one = doc.at("/layers/1").as<Layer>();
///
/// The main layers of the library; each uses only those below it:
///
///     tools     save_file, load_file, Document, convert_file, verify_file
///     formats   one interface (format.hpp) for all: the default in formats/safestructures, ...
///     data      DType, Tensor, Value, Codec<T>, Registry, Path, Source, Sink, Limits, Error
///
/// Saving takes a straight path through them: a C++ object becomes a Value by its Codec<T>, a Value
/// becomes bytes by a Format, and the bytes go into a Sink: a file, a stream, memory. Loading takes
/// it in reverse. The codecs of standard types and plain structs are in codecs/. To compile faster,
/// include single headers from these folders.
#pragma once

/// \namespace safestructures
/// The whole library. Names in the inline namespace `v0`, whose number changes with the binary
/// interface (docs/embedding.md), are used without it.

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/burnpack.hpp>
#include <safestructures/formats/cbor.hpp>
#include <safestructures/formats/format.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/formats/json.hpp>
#include <safestructures/formats/messagepack.hpp>
#include <safestructures/formats/pytorch.hpp>
#include <safestructures/formats/safestructures/format.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/tools/convert.hpp>
#include <safestructures/tools/document.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>
#include <safestructures/tools/verify.hpp>
