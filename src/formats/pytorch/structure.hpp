/// \file
/// The structure that a pickle of PyTorch describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include "formats/pytorch/pickle.hpp"
#include "formats/pytorch/tensors.hpp"

namespace safestructures::inline v0::pytorch {

/// Makes a Value of the objects of a pickle. What PyTorch, NumPy and Python themselves make is made
/// from what is known of their functions; an instance of a class becomes a struct of its
/// attributes, and what any other call gives a custom value of its arguments.
class StructureMaker {
 public:
  /// \param size the bytes of the pickle
  StructureMaker(const Pickle& pickle, Tensors& tensors, std::uint64_t size, const Limits& limits);

  /// \throws Error `invalid_schema`, `cycle`, `duplicate_name`, `limit_exceeded` and what `Tensors`
  /// throws, with the path
  [[nodiscard]] Value make() { return value(pickle_.root, nullptr); }

 private:
  using Arguments = const std::vector<Id>&;
  using Maker = Value (StructureMaker::*)(const Call& call, Arguments arguments,
                                          const Trace* trace);
  struct Known {
    std::string_view name;
    std::size_t least;  // The number of arguments that the maker reads.
    Maker make;
  };
  static const Known* find_known(std::string_view name);

  Value value(Id id, const Trace* trace);
  Value value_of(const Object& object, Id id, const Trace* trace);
  Value leaf(const Value& value, const Trace* trace);
  std::vector<Value> items(const std::vector<Id>& ids, const Trace* trace);
  void insert_entries(const std::vector<Id>& ids, Value& into, const Trace* trace);
  void insert_fields(Id state, Value& into, const Trace* trace);

  Value call(const Call& call, const Trace* trace);
  Value instance(std::string_view name, const Call& call, const Trace* trace);
  Value opaque(std::string_view name, const Call& call, const Trace* trace);
  std::string name_of(Id callee, const Trace* trace) const;
  Arguments arguments(Id id) const;

  Value tensor(const StorageId& storage, ElementType element, Arguments arguments,
               const Trace* trace);
  void check_metadata(Arguments arguments, std::size_t index, const Trace* trace) const;
  // One for each function that is known.
  Value tensor_of_storage(const Call& call, Arguments arguments, const Trace* trace);
  Value tensor_of_bytes(const Call& call, Arguments arguments, const Trace* trace);
  Value tensor_of_subclass(const Call& call, Arguments arguments, const Trace* trace);
  Value first_argument(const Call& call, Arguments arguments, const Trace* trace);
  Value dict(const Call& call, Arguments arguments, const Trace* trace);
  Value default_dict(const Call& call, Arguments arguments, const Trace* trace);
  Value set(const Call& call, Arguments arguments, const Trace* trace);
  Value frozen_set(const Call& call, Arguments arguments, const Trace* trace);
  Value bytes(const Call& call, Arguments arguments, const Trace* trace);
  Value complex(const Call& call, Arguments arguments, const Trace* trace);
  Value numpy_scalar(const Call& call, Arguments arguments, const Trace* trace);
  Value numpy_array(const Call& call, Arguments arguments, const Trace* trace);

  void count(std::uint64_t size, const Trace* trace);

  const Pickle& pickle_;
  Tensors& tensors_;
  const Limits& limits_;
  std::vector<bool> is_open_;  // By object: whether its parts are being made.
  std::uint32_t depth_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t made_ = 0;  // About how many bytes the structure takes, without its tensors.
  std::uint64_t most_;
};

}  // namespace safestructures::inline v0::pytorch
