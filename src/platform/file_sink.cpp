#include "platform/file_sink.hpp"

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

}  // namespace safestructures::inline v0::platform
