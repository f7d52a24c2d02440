#include "platform/file_sink.hpp"

#include <system_error>

#include "platform/os.hpp"
#include "platform/system_error.hpp"

namespace safestructures::inline v0::platform {

AtomicFile& FileSink::file() {
  if (!file_) expect(0);
  return *file_;
}

void FileSink::expect(std::uint64_t size) {
  if (file_) file_->expect(size);
  else file_.emplace(path_, AtomicFileOptions{.size_hint = size, .durable = durable_});
}

Sink& FileSink::sibling(std::string_view file_name) {
  if (!siblings_.empty()) siblings_.back()->finish();
  siblings_.push_back(std::make_unique<FileSink>(path_.parent_path() / file_name, durable_));
  return *siblings_.back();
}

void FileSink::commit() {
  if (siblings_.empty()) static_cast<void>(file());
  finish();
  publish();
  remove_replaced();
}

void FileSink::finish() {
  if (file_ && !is_finished_) file_->finish();
  is_finished_ = true;
  for (const std::unique_ptr<FileSink>& one : siblings_) one->finish();
}

void FileSink::publish() {
  if (file_) file_->publish();
  for (const std::unique_ptr<FileSink>& one : siblings_) one->publish();
}

void FileSink::remove_replaced() const {
  const auto fail = [](const std::filesystem::path& path, std::error_code cause) {
    throw system_error(ErrorCode::cannot_write,
                       "what was saved is in place, but cannot remove the earlier save that it "
                       "replaces",
                       path, cause);
  };
  std::error_code error;
  for (const std::filesystem::path& path : replaced_) {
    if (!std::filesystem::is_regular_file(path, error)) continue;
    os::remove(path, error);
    // Another save at the same path may have removed it meanwhile.
    if (error && error != std::errc::no_such_file_or_directory) fail(path, error);
  }
  if (!durable_ || replaced_.empty()) return;
  const std::filesystem::path folder = path_.parent_path();
  os::synchronise_folder(folder.empty() ? std::filesystem::path(".") : folder, error);
  if (error) fail(path_, error);
}

}  // namespace safestructures::inline v0::platform
