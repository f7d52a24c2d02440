/// \file
/// Reading what a recorder wrote, after its end or while it goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// One record of a recording. Its tensors are read when they are touched. Copies share the file and
/// stay valid when the Recording is gone.
class SAFESTRUCTURES_API Record {
 public:
  /// With the names of its scopes in front.
  /// @{
  [[nodiscard]] const std::string& name() const& noexcept { return *name_; }
  [[nodiscard]] std::string name() && { return *name_; }
  /// @}
  /// What `ActivationRecorder::step` had said last.
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  /// How many calls of that name came before, those that were not kept included.
  [[nodiscard]] std::uint64_t call() const noexcept { return call_; }
  /// The thread that recorded it, numbered by their first records or scopes.
  [[nodiscard]] std::uint64_t thread() const noexcept { return thread_; }
  /// Its place among all records.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }
  /// When it was recorded, in nanoseconds since 1970, UTC.
  [[nodiscard]] std::int64_t time() const noexcept { return time_; }
  /// How much was kept of it: `full`, `slice` or `statistics`.
  [[nodiscard]] Keep kept() const noexcept { return kept_; }
  /// What was recorded, tensors in their stored dtype. Valid as long as this or a copy of it.
  /// @{
  [[nodiscard]] const Value& value() const& noexcept { return whole_ != nullptr ? *whole_ : row_; }
  [[nodiscard]] Value value() && { return value(); }
  /// @}
  /// The tensor that was recorded. \throws Error `type_mismatch`, naming the file
  [[nodiscard]] Tensor tensor() const { return node().tensor(); }
  /// What was recorded, as a C++ object. \throws Error what does not fit, naming file and path
  template <class T>
  [[nodiscard]] T as() const {
    return node().template as<T>();
  }
  /// The file that holds it.
  /// @{
  [[nodiscard]] const std::filesystem::path& file() const& noexcept;
  [[nodiscard]] std::filesystem::path file() && { return file(); }
  /// @}
  /// Where in the file it is: `/values/3`, or row 17 of the tensor there, `/values/3/17`, which is
  /// a place for people: `Document::at` ends at tensors.
  [[nodiscard]] std::string path() const { return place().to_string(); }

 private:
  friend class Recording;
  Record(std::shared_ptr<const recording::Segment> segment, std::size_t record);
  [[nodiscard]] Path place() const;
  [[nodiscard]] Node node() const;

  std::shared_ptr<const recording::Segment> segment_;
  std::size_t record_ = 0;  // Place in it.
  const std::string* name_ = nullptr;
  const Value* whole_ = nullptr;  // In the document; null where the value is a row.
  Value row_;
  std::uint64_t sequence_ = 0;
  std::int64_t step_ = 0;
  std::uint64_t call_ = 0;
  std::int64_t time_ = 0;
  std::uint32_t thread_ = 0;
  Keep kept_ = Keep::full;
};

/// How recordings are read.
struct RecordingOptions {
  Access access = Access::map;         ///< How tensors come into memory.
  const Registry* registry = nullptr;  ///< Must outlive what is loaded through it.
  Limits limits = {};                  ///< Bounds on what the files may hold.
};

/// The records in a recorder's folder, in the order of their calls.
///
/// Of a segment that is not sealed, because its recorder still runs or died, those records are here
/// that its journal says are complete; their checksums are not looked at (recover_recording does).
/// Reading takes no lock and never changes the folder. Constant members may be called by several
/// threads at once.
class SAFESTRUCTURES_API Recording {
 public:
  using Iterator = detail::IndexIterator<Recording, Record>;  ///< Of records.

  /// \throws Error `cannot_open` for what is no folder of a recording; what is wrong with a
  /// segment, naming it.
  explicit Recording(std::filesystem::path folder, const RecordingOptions& options = {});

  /// A moved-from recording may be destroyed and assigned to, no more.
  /// @{
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  /// @}
  ~Recording();

  /// How many records there are so far.
  /// @{
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// @}
  /// The record at a place below `size()`. Made when it is first asked for, it stays where it is as
  /// long as this, also when `refresh` adds others.
  /// @{
  [[nodiscard]] const Record& operator[](std::size_t index) const&;
  [[nodiscard]] Record operator[](std::size_t index) && { return (*this)[index]; }
  /// @}
  /// Over the records in the order of their calls. Valid as long as this.
  /// @{
  [[nodiscard]] Iterator begin() const& noexcept { return {*this, 0}; }
  [[nodiscard]] Iterator end() const& noexcept { return {*this, size()}; }
  Iterator begin() && = delete;
  Iterator end() && = delete;
  /// @}

  /// The first record of that name and step, or null. Valid as long as this.
  [[nodiscard]] const Record* find(std::string_view name, std::int64_t step) const&;
  const Record* find(std::string_view name, std::int64_t step) && = delete;
  /// The record of that name and call, or null.
  [[nodiscard]] const Record* find_call(std::string_view name, std::uint64_t call) const&;
  const Record* find_call(std::string_view name, std::uint64_t call) && = delete;
  /// All records whose names match a glob, in order.
  [[nodiscard]] std::vector<const Record*> select(const std::string& glob) const&;
  std::vector<const Record*> select(const std::string& glob) && = delete;
  /// The names of all records, by their first.
  /// @{
  [[nodiscard]] const std::vector<std::string>& names() const& noexcept;
  [[nodiscard]] std::vector<std::string> names() && { return names(); }
  /// @}
  /// All steps, ascending.
  [[nodiscard]] std::vector<std::int64_t> steps() const;

  /// Reads what was written meanwhile. \returns how many records came \throws Error as the
  /// constructor; what was there before stays
  std::size_t refresh();

  /// Whether the recorder was closed: no more will come, and nothing is lost.
  [[nodiscard]] bool is_closed() const noexcept;
  /// What is in the way of reading everything, a line each: segments that are missing, are others
  /// than their names say, lie behind the one that closed the recording or are not sealed, after
  /// their journal's damage; records that a closed recording lacks.
  /// @{
  [[nodiscard]] const std::vector<std::string>& problems() const& noexcept;
  [[nodiscard]] std::vector<std::string> problems() && { return problems(); }
  /// @}
  /// The metadata of the last sealed segment that says what was left out; see docs/recording.md.
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
