/// \file
/// Recording what passes through a program, such as the activations of a model, into files.
///
///     ActivationRecorder recorder("run");
///     for (std::int64_t n = 0; n < steps; ++n) {
///       recorder.step(n);
///       auto scope = recorder.scope("decoder");
///       recorder.record("attention", attention);  // decoder.attention
///     }
///     recorder.close();
///
/// docs/recording.md says how to use it and what is in the files.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
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

/// A vector that becomes a tensor without a copy when it is moved.
template <class T>
inline constexpr bool is_element_vector = false;
template <Element T>
  requires(!std::same_as<T, bool>)
inline constexpr bool is_element_vector<std::vector<T>> = true;

}  // namespace detail

/// Writes records into the files of a folder while the program goes on.
///
/// `record` copies the bytes of the value's tensors once and returns; a thread in the background
/// converts and writes. What is written survives the process, however it ends
/// (recover_recording). The memory is bounded by `RecorderOptions::memory`, and a sixteenth more
/// under `WhenFull::thin`; what the header of a file is made of, which grows to 4 MiB, takes some
/// 25 MiB at most beside it.
///
/// Several threads may record at once: records of one thread keep their order, and all have one
/// order, their sequence. `close` and the destructor must not run while another thread records.
/// What it calls, codecs and the watch, may record, but not destroy it; a Source whose bytes are
/// read for a record must not record with `WhenFull::block`, as it would wait for its own record.
///
/// A process that is forked must not use its parent's recorder: there the thread in the background
/// is missing. `record`, `flush`, `close` and `report` throw there, and destroying it does nothing.
/// While such a process lives, the folder stays locked.
class SAFESTRUCTURES_API ActivationRecorder {
 public:
  /// Begins a recording in a folder, which is made where there is none. Where the program goes into
  /// another current folder, a relative one stays the one that it was.
  /// \throws Error `cannot_write` where it cannot be made or holds a recording already;
  /// `invalid_argument` for options that cannot be, such as a malformed regular expression.
  explicit ActivationRecorder(const std::filesystem::path& folder, RecorderOptions options = {});
  ActivationRecorder(const ActivationRecorder&) = delete;
  ActivationRecorder& operator=(const ActivationRecorder&) = delete;
  /// As `close`, but what fails is passed over; and of a recorder whose `record` was never called
  /// nothing is left but the lock, so that the folder can be used again.
  ~ActivationRecorder();

  /// Records a value: any object that can be saved, whose codec is included, such as those of
  /// <safestructures/codecs/codecs.hpp> (or all of <safestructures/safestructures.hpp>). What is
  /// moved in is taken over without a copy where it is a vector of numbers, a Tensor or a Value
  /// that owns its memory; nobody else may change that memory then.
  /// \param name behind the names of this thread's scopes and a dot; UTF-8, not empty
  /// \throws Error what ended the recording, once, from then on records are counted and nothing
  /// else; before that the first error of one record that the thread in the background met, once;
  /// what the value's codec finds wrong, the record's name in the path; `out_of_range` or
  /// `invalid_argument` where a slice does not fit; what the watch throws.
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
          std::addressof(value), true);
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

  /// A part of the program whose records have its name in front. May outlive the recorder.
  class SAFESTRUCTURES_API Scope {
   public:
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    /// What is moved from is no scope any more.
    Scope(Scope&&) noexcept = default;
    /// On the thread that made it, after the scopes inside it.
    ~Scope();

   private:
    friend class ActivationRecorder;
    Scope(std::shared_ptr<detail::RecorderState> state, std::string_view name);
    std::shared_ptr<detail::RecorderState> state_;
    std::size_t size_;  // Of this thread's prefix without it.
  };

  /// Puts `name` and a dot in front of the names that this thread records, for as long as what it
  /// returns lives. Scopes nest. \throws Error `invalid_argument` for an empty name
  [[nodiscard]] Scope scope(std::string_view name);

  /// The step of what is recorded from now on, by all threads; 0 at first.
  void step(std::int64_t number) noexcept;

  /// Waits until everything recorded so far is written: the death of the process costs none of it.
  /// \returns how many records that are. \throws Error what ended the recording; where nothing did,
  /// the first error of one record
  std::uint64_t flush();

  /// Writes what waits, on this thread or the one in the background, and seals the last file, which
  /// says that the recording was closed and has the counts; there is one even where no record was
  /// kept. Does nothing when called again, but wait for another thread's call to end.
  /// \throws Error as `flush`
  void close();

  /// What was recorded and left out so far.
  [[nodiscard]] RecorderReport report() const;

 private:
  using Encode = Value (*)(void* object, const EncodeOptions& options);
  void take(std::string_view name, Encode encode, void* object, bool moved);

  std::shared_ptr<detail::RecorderState> state_;  // With scopes.
};

}  // namespace safestructures::inline v0
