/// \file
/// Recording values that pass through a program, such as the activations of a model, into files.
///
///     ActivationRecorder recorder("run");
///     for (std::int64_t n = 0; n < steps; ++n) {
///       recorder.step(n);
///       auto scope = recorder.scope("decoder");
///       recorder.record("attention", attention);  // decoder.attention
///     }
///     recorder.close();
///
/// docs/recording.md explains how to use it and what the files contain.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <safestructures/data/codec.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/tensor.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/recording/options.hpp>

namespace safestructures::inline v0 {

namespace detail {

class RecorderState;

/// Whether T is a vector that becomes a tensor without a copy when it is moved.
template <class T>
inline constexpr bool is_element_vector = false;
template <Element T>
  requires(!std::same_as<T, bool>)
inline constexpr bool is_element_vector<std::vector<T>> = true;

}  // namespace detail

/// Writes records into the files of a folder while the program continues.
///
/// `record` copies the bytes of the value's tensors once and returns; a background thread converts
/// and writes them. Written records survive the process, however it ends (see `recover_recording`).
/// Memory is bounded by `RecorderOptions::memory`, plus up to an eighth that is kept for reuse,
/// plus a sixteenth with `WhenFull::thin`; the data for a file's header, which grows up to 4 MiB,
/// takes about 25 MiB more at most, and records that are converted 16 MiB and one record as it is
/// stored. What is freed returns to the system, except for what was moved in and the nodes of
/// structures, which are memory of the program's heap.
///
/// Several threads may record at once: the records of one thread keep their order, and all records
/// have one common order, their sequence. `close` and the destructor must not run while another
/// thread records. Codecs and the watch, which the recorder calls, may record but not destroy it. A
/// Source whose bytes are read for a record must not record with `WhenFull::block`, as it would
/// wait for its own record.
///
/// A forked process must not use its parent's recorder, because it lacks the background thread:
/// `record`, `flush`, `close` and `report` throw there, and the destructor does nothing. The folder
/// stays locked while such a process lives.
class SAFESTRUCTURES_API ActivationRecorder {
 public:
  /// Begins a recording in a folder, which is created if it does not exist. A relative path keeps
  /// its meaning if the program changes its current folder later.
  /// \throws Error `cannot_write` if the folder cannot be created or already holds a recording;
  /// `invalid_argument` for invalid options, such as a malformed regular expression.
  explicit ActivationRecorder(const std::filesystem::path& folder, RecorderOptions options = {});
  ActivationRecorder(const ActivationRecorder&) = delete;
  ActivationRecorder& operator=(const ActivationRecorder&) = delete;
  /// Closes the recording as `close` does, but ignores errors. If `record` was never called, only
  /// the lock is left, so that the folder can be used again.
  ~ActivationRecorder();

  /// Records a value: any object that can be saved and whose codec is included, such as those of
  /// <safestructures/codecs/codecs.hpp> (or all of <safestructures/safestructures.hpp>). A moved
  /// vector of numbers, and a moved Tensor or Value that owns memory without gaps, is taken over
  /// without a copy unless a rule keeps a slice of it; nobody else may change that memory then. If
  /// such a tensor is part of a larger one, all of the larger one stays in memory, uncounted:
  /// `clone()` it.
  /// \param name follows the names of this thread's scopes and a dot; UTF-8, not empty
  /// \throws Error once, the error that ended the recording (later calls only count their records);
  /// before that, once, the first error of a single record on the background thread; every time,
  /// the error of the value's codec, with the record's name in the path; `out_of_range` or
  /// `invalid_argument` if a slice does not fit; whatever the watch throws.
  template <class T>
  void record(std::string_view name, T&& value) {
    using Type = std::remove_cvref_t<T>;
    constexpr bool moved = std::is_rvalue_reference_v<T&&> && !std::is_const_v<T>;
    if constexpr (moved && detail::is_element_vector<Type>) {
      take(
          name,
          [](void* object, const EncodeOptions&) {
            return Value(Tensor::own(std::move(*static_cast<Type*>(object))));
          },
          std::addressof(value), true, (value.capacity() - value.size()) * sizeof(*value.data()));
    } else if constexpr (moved && (std::same_as<Type, Tensor> || std::same_as<Type, Value>)) {
      take(
          name,
          [](void* object, const EncodeOptions&) {
            return Value(std::move(*static_cast<Type*>(object)));
          },
          std::addressof(value), true);
    } else {
      const Type& object = value;
      take(
          name,
          [](void* pointer, const EncodeOptions& options) {
            return Value::from(*static_cast<const Type*>(pointer), options);
          },
          const_cast<Type*>(std::addressof(object)), false);
    }
  }

  /// A part of the program whose records have the scope's name in front, or its step. May outlive
  /// the recorder.
  class SAFESTRUCTURES_API Scope {
   public:
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    /// A moved-from scope no longer has any effect.
    Scope(Scope&&) noexcept = default;
    /// Ends the scope. Must be called on the thread that made it, after the scopes inside it.
    ~Scope();

   private:
    friend class ActivationRecorder;
    Scope(std::shared_ptr<detail::RecorderState> state, std::size_t outer_prefix,
          std::optional<std::int64_t> outer_step);
    std::shared_ptr<detail::RecorderState> state_;
    std::size_t outer_prefix_;  // The size of this thread's prefix without it.
    std::optional<std::int64_t> outer_step_;
  };

  /// Puts `name` and a dot in front of the names that this thread records, for the lifetime of the
  /// returned object. Scopes nest. \throws Error `invalid_argument` for an empty name
  [[nodiscard]] Scope scope(std::string_view name);

  /// Sets the step of everything recorded from now on, by all threads that are not in a
  /// `step_scope`; 0 at first.
  void step(std::int64_t number) noexcept;
  /// Gives everything that this thread records a step of its own, for the lifetime of the returned
  /// object: for programs that work on several inputs at once, such as servers, whose records are
  /// otherwise not known to belong together. The innermost one counts.
  [[nodiscard]] Scope step_scope(std::int64_t number);

  /// Waits until everything recorded so far is written and would survive the death of the process.
  /// \returns the number of these records
  /// \throws Error the error that ended the recording; otherwise the first error of a single record
  std::uint64_t flush();

  /// Writes all waiting records, on this thread or the background thread, and seals the last file,
  /// which states that the recording was closed and holds the counts; there is such a file even if
  /// no record was kept. Further calls only wait for a call of another thread to end.
  /// \throws Error as `flush`
  void close();

  /// Reports what was recorded and left out so far.
  [[nodiscard]] RecorderReport report() const;

 private:
  using Encode = Value (*)(void* object, const EncodeOptions& options);
  void take(std::string_view name, Encode encode, void* object, bool moved,
            std::uint64_t unused = 0);

  std::shared_ptr<detail::RecorderState> state_;  // With scopes.
};

}  // namespace safestructures::inline v0
