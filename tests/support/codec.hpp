/// \file
/// Helpers that the tests of codecs share.
#pragma once

#include <string>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/data/codec.hpp>
#include <safestructures/data/error.hpp>

namespace codec_test {

namespace ss = safestructures;

/// Returns the object's Value with its own memory.
template <class T>
ss::Value to_value(const T& object, const ss::EncodeOptions& options = {}) {
  ss::Value value = ss::Value::from(object, options);
  value.own();
  return value;
}

/// Saves an object and returns what is loaded from that.
template <class T>
T round_trip(const T& object) {
  return to_value(object).template as<T>();
}

/// Returns "code: text" of the Error that a call throws.
template <class Call>
std::string error_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const ss::Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

/// Returns "code: text" of the Error that loading a T from a value throws.
template <class T>
std::string load_error(const ss::Value& value, const ss::DecodeOptions& options = {}) {
  return error_of([&] { return value.as<T>(options); });
}

}  // namespace codec_test
