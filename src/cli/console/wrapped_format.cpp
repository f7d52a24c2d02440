#include "cli/console/wrapped_format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <safestructures/data/walk.hpp>

namespace safestructures::cli {
namespace {

/// Passes everything on and counts it.
class CountingSink final : public Sink {
 public:
  CountingSink(Sink& sink, Progress& progress) : sink_(sink), progress_(progress) {}

  void write(std::span<const std::byte> bytes) override {
    // In pieces, to show progress even for a tensor that is most of the file.
    constexpr std::size_t piece = std::size_t{64} << 20U;
    while (!bytes.empty()) {
      const std::span<const std::byte> part = bytes.first(std::min(piece, bytes.size()));
      sink_.write(part);
      progress_.add(part.size());
      bytes = bytes.subspan(part.size());
    }
  }
  std::uint64_t position() const noexcept override { return sink_.position(); }
  void flush() override { sink_.flush(); }
  void expect(std::uint64_t size) override { sink_.expect(size); }
  std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override {
    return sink_.prepare(minimum, wanted);
  }
  void produced(std::size_t size) override {
    sink_.produced(size);
    progress_.add(size);
  }
  void compute(std::uint64_t size, std::size_t unit, const Producer& produce) override {
    sink_.compute(size, unit, [&](std::uint64_t offset, std::span<std::byte> room) {
      produce(offset, room);
      progress_.add(room.size());
    });
  }
  void compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                      const PartProducer& produce) override {
    sink_.compute_matrix(rows, row_size, unit, [&](const Part& part, std::span<std::byte> room) {
      produce(part, room);
      progress_.add(room.size());
    });
  }
  std::string file_name() const override { return sink_.file_name(); }
  Sink& sibling(std::string_view file_name) override {
    return siblings_.emplace_back(sink_.sibling(file_name), progress_);
  }
  std::filesystem::path path() const override { return sink_.path(); }
  void replaces(std::string_view file_name) override { sink_.replaces(file_name); }

 private:
  Sink& sink_;
  Progress& progress_;
  // A deque of an incomplete type is undefined ([res.on.functions]); a list may be
  // ([list.overview]).
  std::list<CountingSink> siblings_;
};

class Wrapped : public Format {
 public:
  explicit Wrapped(std::shared_ptr<const Format> format) : format_(std::move(format)) {}

  std::string_view name() const noexcept override { return format_->name(); }
  std::span<const std::string_view> extensions() const noexcept override {
    return format_->extensions();
  }
  bool recognises(std::span<const std::byte> head, std::uint64_t size) const override {
    return format_->recognises(head, size);
  }
  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    return format_->read(source, options);
  }
  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    return format_->write(root, sink, options);
  }
  std::optional<Value> for_type(const Value& part, const Content& content,
                                const LoadOptions& options) const override {
    return format_->for_type(part, content, options);
  }

 private:
  std::shared_ptr<const Format> format_;
};

class Counted final : public Wrapped {
 public:
  Counted(std::shared_ptr<const Format> format, Progress& progress)
      : Wrapped(std::move(format)), progress_(progress) {}

  SaveReport write(const Value& root, Sink& sink, const SaveOptions& options) const override {
    CountingSink counting(sink, progress_);
    return Wrapped::write(root, counting, options);
  }

 private:
  Progress& progress_;
};

class WithNumpyNames final : public Wrapped {
 public:
  using Wrapped::Wrapped;

  Content read(const std::shared_ptr<const Source>& source,
               const LoadOptions& options) const override {
    Content content = Wrapped::read(source, options);
    walk(content.root, [](Value& value, const Place&) {
      // No name means the usual one: numpy.ndarray.
      if (value.kind() == Kind::tensor) value.set_type_name({});
      return Next::into;
    });
    return content;
  }
};

}  // namespace

std::shared_ptr<const Format> counted_by(Progress& progress, std::shared_ptr<const Format> format) {
  return std::make_shared<const Counted>(std::move(format), progress);
}

std::shared_ptr<const Format> with_numpy_names(std::shared_ptr<const Format> format) {
  return std::make_shared<const WithNumpyNames>(std::move(format));
}

}  // namespace safestructures::cli
