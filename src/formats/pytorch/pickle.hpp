/// \file
/// Python's pickles as data: what they describe, without running any of it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/value.hpp>
#include "formats/binary/window.hpp"

namespace safestructures::inline v0::pytorch {

/// The index of an object of a pickle.
using Id = std::uint32_t;
inline constexpr Id no_object = 0xffffffff;

/// What an object of a pickle is.
enum class ObjectKind : std::uint8_t {
  value,  ///< None, a bool, a number, a str or bytes
  list,   ///< `parts` are the items, as of the next three
  tuple,
  set,
  frozen_set,
  dict,        ///< `parts` are keys and values in turn
  global,      ///< a class or function of Python: `value` is `module.name`
  call,        ///< what a call of a class or function gives, see `Call`
  persistent,  ///< `parts` is what stands for it: a storage of PyTorch
};

/// A call that a pickle asks for, and what it then does to the result.
struct Call {
  Id callee = no_object;
  Id arguments = no_object;
  bool is_plain = false;  ///< Whether it makes an instance of a class without calling it.
  Id state = no_object;   ///< What its attributes are set from; `no_object` if they are not.
  std::vector<Id> items;
  std::vector<Id> entries;  ///< Keys and values in turn.
};

/// An object of a pickle. Others refer to it by its index, so that it may be part of several, or of
/// itself.
struct Object {
  ObjectKind kind = ObjectKind::value;
  Value value;
  std::vector<Id> parts;
  std::unique_ptr<Call> call;
};

/// The objects of a pickle.
struct Pickle {
  std::deque<Object> objects;  ///< Not a vector, which takes three times the memory as it grows.
  Id root = no_object;
};

/// Reads a pickle of protocol 2 to 5, up to its end, as Python's module `pickletools` describes it.
/// Nothing that it names is called or imported. Memory is bounded by the pickle's size and
/// `Limits::nodes`.
/// \param end where the pickle must end at the latest
/// \throws Error `invalid_schema`, `invalid_utf8`, `truncated`, `limit_exceeded`, with the offset
[[nodiscard]] Pickle read_pickle(binary::Window& window, std::uint64_t end, const Limits& limits);

}  // namespace safestructures::inline v0::pytorch
