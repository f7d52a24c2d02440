#include <safestructures/data/source.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <istream>
#include <memory>
#include <mutex>
#include <streambuf>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>

#include "platform/file.hpp"
#include "platform/mapping.hpp"
#include "platform/memory.hpp"
#include "platform/sink.hpp"

namespace safestructures::inline v0 {
namespace {

// Up to this size, reading is cheaper than mapping (4.4 us compared with 9.8 us for a tiny file).
constexpr std::size_t mapped_from = std::size_t{64} << 10U;
// Streams are read in such blocks.
constexpr std::size_t block_size = std::size_t{256} << 10U;

[[noreturn]] void fail_truncated(const Source& source, std::uint64_t offset, std::size_t wanted) {
  const std::uint64_t left = offset > source.size() ? 0 : source.size() - offset;
  throw Error(ErrorCode::truncated, "the input ends too early",
              {.file = source.name(),
               .expected = std::to_string(wanted) + " bytes",
               .found = std::to_string(left),
               .offset = offset});
}

void require_inside(const Source& source, std::uint64_t offset, std::size_t size) {
  if (offset > source.size() || size > source.size() - offset) fail_truncated(source, offset, size);
}

SharedBytes read_view(const Source& source, std::uint64_t offset, std::size_t size) {
  require_inside(source, offset, size);
  const std::shared_ptr<std::byte> memory = platform::allocate_buffer(size);
  source.read(offset, {memory.get(), size});
  return {{memory.get(), size}, memory};
}

class FileSource final : public Source {
 public:
  explicit FileSource(const std::filesystem::path& path)
      : file_(path),
        name_(path.string()),
        head_size_(static_cast<std::size_t>(std::min<std::uint64_t>(file_.size(), head_.size()))) {
    file_.read_at(0, std::span(head_).first(head_size_));
  }

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return file_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset < head_size_ && into.size() <= head_size_ - offset)
      std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    else file_.read_parallel(offset, into);
  }
  SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    require_inside(*this, offset, size);
    if (std::shared_ptr<const platform::Mapping> whole = this->whole()) {
      const std::span bytes = whole->bytes().subspan(static_cast<std::size_t>(offset), size);
      return {bytes, std::move(whole)};
    }
    if (size < mapped_from) return read_view(*this, offset, size);
    std::shared_ptr<const platform::Mapping> mapping = platform::Mapping::of(file_, offset, size);
    if (size == file_.size()) {
      const std::lock_guard lock(mutex_);
      whole_ = mapping;
    }
    const std::span<const std::byte> bytes = mapping->bytes();
    return {bytes, std::move(mapping)};
  }
  std::shared_ptr<const Source> sibling(std::string_view file_name) const override {
    return open(file_.path().parent_path() / file_name);
  }

 private:
  [[nodiscard]] std::shared_ptr<const platform::Mapping> whole() const {
    const std::lock_guard lock(mutex_);
    return whole_.lock();
  }

  platform::InputFile file_;
  std::string name_;
  // While the whole file is mapped, a small view is a part of that mapping and needs no system
  // call.
  mutable std::mutex mutex_;
  mutable std::weak_ptr<const platform::Mapping> whole_;
  // The first bytes of a file, or all of a tiny one: recognising the format by them and then
  // reading them costs one system call.
  std::array<std::byte, 4096> head_;
  std::size_t head_size_;
};

class MemorySource final : public Source {
 public:
  MemorySource(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
               std::string name)
      : bytes_(bytes), owner_(std::move(owner)), name_(std::move(name)) {}

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) const override {
    require_inside(*this, offset, into.size());
    if (!into.empty()) platform::copy(into.data(), bytes_.data() + offset, into.size());
  }
  SharedBytes view(std::uint64_t offset, std::size_t size) const override {
    require_inside(*this, offset, size);
    return {bytes_.subspan(static_cast<std::size_t>(offset), size), owner_};
  }
  bool is_in_memory() const noexcept override { return true; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::string name_;
};

[[noreturn]] void fail_stream(const std::string& name, std::string found, std::uint64_t offset) {
  throw Error(ErrorCode::cannot_read, "the input stream failed",
              {.file = name,
               .path = {},
               .expected = {},
               .found = std::move(found),
               .advice = "Check that the stream is open and can be read",
               .offset = offset});
}

}  // namespace

Source::~Source() = default;

SharedBytes Source::view(std::uint64_t offset, std::size_t size) const {
  return read_view(*this, offset, size);
}

std::shared_ptr<const Source> Source::sibling(std::string_view file_name) const {
  throw Error(ErrorCode::cannot_open, "this input has no other file next to it",
              {.file = name(), .expected = "a file named " + std::string(file_name)});
}

std::shared_ptr<const Source> Source::open(const std::filesystem::path& path) {
  return std::make_shared<FileSource>(path);
}

std::shared_ptr<const Source> Source::of(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> owner) {
  return std::make_shared<MemorySource>(bytes, std::move(owner), std::string());
}

std::shared_ptr<const Source> Source::of(std::vector<std::byte>&& bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return of(*owner, owner);
}

std::shared_ptr<const Source> Source::read_all(std::istream& in, std::string name) {
  if (in.fail()) fail_stream(name, {}, 0);
  const auto bytes = std::make_shared<std::vector<std::byte>>();
  platform::VectorSink sink(*bytes);
  // The stream's own `read` would set the failbit at the end, as if something were wrong.
  std::streambuf& buffer = *in.rdbuf();
  for (std::size_t count = 1; count != 0; sink.produced(count)) {
    const std::span<std::byte> room = sink.prepare(1, block_size);
    try {
      count = static_cast<std::size_t>(buffer.sgetn(reinterpret_cast<char*>(room.data()),
                                                    static_cast<std::streamsize>(room.size())));
    } catch (const std::exception& error) {
      fail_stream(name, error.what(), sink.position());
    }
  }
  return std::make_shared<MemorySource>(*bytes, bytes, std::move(name));
}

}  // namespace safestructures::inline v0
