/// \file
/// Reading a recording, after it ended or while it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/export.hpp>
#include <safestructures/data/index_iterator.hpp>
#include <safestructures/data/limits.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/registry.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/recording/options.hpp>
#include <safestructures/tools/document.hpp>

namespace safestructures::inline v0 {

class Recording;

namespace recording {
class RecordTable;
class Segment;
}  // namespace recording

/// One record of a recording. Its tensors are read on use. Copies share the file and stay valid
/// after the Recording is gone.
class SAFESTRUCTURES_API Record {
 public:
  /// Returns its name, with its scopes in front.
  /// @{
  [[nodiscard]] const std::string& name() const& noexcept { return *name_; }
  [[nodiscard]] std::string name() && { return *name_; }
  /// @}
  /// Returns the last step set by `ActivationRecorder::step`.
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  /// Returns the number of earlier calls of that name, kept or not.
  [[nodiscard]] std::uint64_t call() const noexcept { return call_; }
  /// Returns the number of the thread that recorded it; threads are numbered by their first record
  /// or scope.
  [[nodiscard]] std::uint64_t thread() const noexcept { return thread_; }
  /// Returns its position among all records.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }
  /// Returns the time at which it was recorded, in nanoseconds since 1970, UTC.
  [[nodiscard]] std::int64_t time() const noexcept { return time_; }
  /// Returns how much of it was kept: `full`, `slice` or `statistics`.
  [[nodiscard]] Keep kept() const noexcept { return kept_; }
  /// Returns the recorded value, with tensors in their stored dtype. Valid as long as this or a
  /// copy of it.
  /// @{
  [[nodiscard]] const Value& value() const& noexcept { return whole_ != nullptr ? *whole_ : row_; }
  [[nodiscard]] Value value() && { return value(); }
  /// @}
  /// Returns the recorded tensor. \throws Error `type_mismatch`, naming the file and the record
  [[nodiscard]] Tensor tensor() const;
  /// Returns the recorded value as a C++ object. \throws Error what does not fit, naming the file,
  /// the path and the record
  template <class T>
  [[nodiscard]] T as() const {
    return read([](const Node& node) { return node.template as<T>(); });
  }
  /// Returns the path of the file that holds it.
  /// @{
  [[nodiscard]] const std::filesystem::path& file() const& noexcept;
  [[nodiscard]] std::filesystem::path file() && { return file(); }
  /// @}
  /// Returns where it is in the file: `/values/3`, or row 17 of the tensor there, `/values/3/17`.
  /// The latter is meant for people: `Document::at` does not go into tensors.
  [[nodiscard]] std::string path() const { return place().to_string(); }

 private:
  friend class Recording;
  Record(std::shared_ptr<const recording::Segment> segment, std::size_t record);
  [[nodiscard]] Path place() const;
  [[nodiscard]] Node node() const;
  template <class Read>
  auto read(const Read& read_node) const {
    try {
      return read_node(node());
    } catch (const Error& error) {
      rethrow(error);
    }
  }
  [[noreturn]] void rethrow(const Error& error) const;

  std::shared_ptr<const recording::Segment> segment_;
  std::size_t record_ = 0;  // Its place in the segment.
  const std::string* name_ = nullptr;
  const Value* whole_ = nullptr;  // In the document; null if the value is a row.
  Value row_;
  std::uint64_t sequence_ = 0;
  std::int64_t step_ = 0;
  std::uint64_t call_ = 0;
  std::int64_t time_ = 0;
  std::uint32_t thread_ = 0;
  Keep kept_ = Keep::full;
};

/// Options for reading recordings.
struct RecordingOptions {
  Access access = Access::map;  ///< How tensors are read into memory.
  /// The types found at run time; must outlive what is loaded with it.
  const Registry* registry = nullptr;
  Limits limits = {};  ///< Bounds on what the files may hold.
};

/// Returns whether a path is the folder of a recording: it has segments, or the lock of a recorder.
/// \throws Error `cannot_open` or `cannot_read` if it is a folder that cannot be listed
[[nodiscard]] SAFESTRUCTURES_API bool is_recording(const std::filesystem::path& path);

/// The records in a recorder's folder, in the order of their calls.
///
/// A segment that is not sealed, because its recorder still runs or died, contributes the records
/// that its journal lists as complete; their checksums are not compared (`recover_recording` does).
/// Reading takes no lock and never changes the folder. Constant members may be called by several
/// threads at once.
class SAFESTRUCTURES_API Recording {
 public:
  using Iterator = detail::IndexIterator<Recording, Record>;  ///< Iterates over records.

  /// Opens a recording. A relative path keeps its meaning if the program changes its current folder
  /// later; `Record::file` and errors have the absolute one.
  /// \throws Error `cannot_open` if `folder` is not the folder of a recording; what is wrong with a
  /// segment, naming it.
  explicit Recording(const std::filesystem::path& folder, const RecordingOptions& options = {});

  /// A moved-from recording may only be destroyed and assigned to.
  /// @{
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  /// @}
  ~Recording();

  /// The number of records so far.
  /// @{
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// @}
  /// Returns the record at an index below `size()`, without checking. It is made on first use and
  /// keeps its address as long as this lives, even if `refresh` adds others; of a temporary
  /// recording, a copy is returned.
  /// @{
  [[nodiscard]] const Record& operator[](std::size_t index) const&;
  [[nodiscard]] Record operator[](std::size_t index) && { return (*this)[index]; }
  /// @}
  /// Iterators over the records in the order of their calls. Valid as long as this.
  /// @{
  [[nodiscard]] Iterator begin() const& noexcept { return {*this, 0}; }
  [[nodiscard]] Iterator end() const& noexcept { return {*this, size()}; }
  Iterator begin() && = delete;
  Iterator end() && = delete;
  /// @}

  /// Returns the first record of that name and step, or null. Valid as long as this.
  [[nodiscard]] const Record* find(std::string_view name, std::int64_t step) const&;
  const Record* find(std::string_view name, std::int64_t step) && = delete;
  /// Returns the record of that name and call, or null. Valid as long as this.
  [[nodiscard]] const Record* find_call(std::string_view name, std::uint64_t call) const&;
  const Record* find_call(std::string_view name, std::uint64_t call) && = delete;
  /// Returns all records whose names match a glob, in order. Valid as long as this.
  [[nodiscard]] std::vector<const Record*> select(const std::string& glob) const&;
  std::vector<const Record*> select(const std::string& glob) && = delete;
  /// Returns the names of all records, in the order of their first record.
  /// @{
  [[nodiscard]] const std::vector<std::string>& names() const& noexcept;
  [[nodiscard]] std::vector<std::string> names() && { return names(); }
  /// @}
  /// Returns all steps, ascending.
  [[nodiscard]] std::vector<std::int64_t> steps() const;

  /// Reads records written in the meantime. \returns the number of new records \throws Error as the
  /// constructor; earlier records stay
  std::size_t refresh();

  /// Returns whether the recorder was closed: no more records will come, and none are lost.
  [[nodiscard]] bool is_closed() const noexcept;
  /// Returns what prevents reading everything, one line each: segments that are missing, whose
  /// content does not match their name, that come after the one that closed the recording, or that
  /// are not sealed, from where their journal is damaged; records that a closed recording lacks.
  /// @{
  [[nodiscard]] const std::vector<std::string>& problems() const& noexcept;
  [[nodiscard]] std::vector<std::string> problems() && { return problems(); }
  /// @}
  /// Returns sentences on what was not read, may be missing, or was left out by the recorder:
  /// `problems()`, whether the recording was not closed, and what the last sealed segment states.
  /// Empty if the recording is complete.
  [[nodiscard]] std::vector<std::string> notes() const;
  /// Returns the metadata of the last sealed segment that states what was left out; see
  /// docs/recording.md.
  /// @{
  [[nodiscard]] const std::string& about() const& noexcept;
  [[nodiscard]] std::string about() && { return about(); }
  /// @}

 private:
  struct State;
  friend class recording::RecordTable;

  std::unique_ptr<State> state_;
};

}  // namespace safestructures::inline v0
