/// \file
/// Files in memory that are read by position, as those on disk, at no cost of a system call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/data/source.hpp>

#include "fuzz/fuzz.hpp"

namespace fuzz {

using Folder = std::map<std::string, Bytes, std::less<>>;

/// A file of that name; `folder`, which outlives it, has its siblings.
class FolderSource final : public ss::Source {
 public:
  FolderSource(std::string name, Bytes bytes, const Folder* folder = nullptr)
      : name_(std::move(name)), bytes_(bytes), folder_(folder) {}

  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    require(offset <= bytes_.size() && into.size() <= bytes_.size() - offset,
            "read beyond the end of a file");
    std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  }
  [[nodiscard]] std::shared_ptr<const ss::Source> sibling(std::string_view name) const override {
    require(name.find('/') == std::string_view::npos, "a file of another folder was asked for");
    if (folder_ != nullptr)
      if (const auto found = folder_->find(name); found != folder_->end())
        return std::make_shared<FolderSource>(found->first, found->second, folder_);
    throw ss::Error(ss::ErrorCode::cannot_open, "no such file", {.file = std::string(name)});
  }

 private:
  std::string name_;
  Bytes bytes_;
  const Folder* folder_;
};

}  // namespace fuzz
