#include "recording/open_files.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/error.hpp>

namespace safestructures::inline v0::recording {

class OpenFiles::File final : public Source {
 public:
  File(std::shared_ptr<OpenFiles> files, std::filesystem::path path, std::filesystem::path later)
      : files_(std::move(files)),
        path_(std::move(path)),
        later_(std::move(later)),
        name_(path_.string()) {
    size_ = files_->use(*this)->size();
    is_known_ = true;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override { files_->forget(*this); }

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    files_->use(*this)->read(offset, into);
  }
  [[nodiscard]] SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    return files_->use(*this)->view(offset, size);
  }
  [[nodiscard]] std::shared_ptr<const Source> sibling(std::string_view file_name) const override {
    return files_->use(*this)->sibling(file_name);
  }

 private:
  friend class OpenFiles;

  [[nodiscard]] std::shared_ptr<const Source> open_again() const {
    if (!is_known_) return Source::open(path_);
    if (!later_.empty()) {
      try {
        return Source::open(path_);
      } catch (const Error&) {
        return Source::open(later_);
      }
    }
    std::shared_ptr<const Source> source = Source::open(path_);
    if (source->size() == size_) return source;
    throw Error(ErrorCode::cannot_read, "the file is no longer the one that was opened",
                {.file = name_,
                 .expected = std::to_string(size_) + " bytes",
                 .found = std::to_string(source->size()),
                 .advice = "Open the recording again"});
  }

  std::shared_ptr<OpenFiles> files_;
  std::filesystem::path path_;
  std::filesystem::path later_;
  std::string name_;
  std::uint64_t size_ = 0;
  bool is_known_ = false;  // Whether it was open before, so that `size_` is set.
  // Guarded by the mutex of `OpenFiles`.
  mutable std::shared_ptr<const Source> source_;  // Null while closed.
  mutable std::uint64_t used_ = 0;
};

std::shared_ptr<const Source> OpenFiles::open(std::filesystem::path path,
                                              std::filesystem::path later) {
  return std::make_shared<const File>(shared_from_this(), std::move(path), std::move(later));
}

std::shared_ptr<const Source> OpenFiles::use(const File& file) {
  const std::lock_guard lock(mutex_);
  if (!file.source_) {
    if (open_.size() == most) {
      const auto oldest =
          std::ranges::min_element(open_, {}, [](const File* one) { return one->used_; });
      (*oldest)->source_.reset();
      open_.erase(oldest);
    }
    open_.reserve(most);
    file.source_ = file.open_again();
    open_.push_back(&file);
  }
  file.used_ = ++uses_;
  return file.source_;
}

void OpenFiles::forget(const File& file) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(open_, &file);
}

}  // namespace safestructures::inline v0::recording
