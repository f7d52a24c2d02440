/// \file
/// Sinks for streams and memory; the sink for files is in atomic_file.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include <safestructures/data/sink.hpp>

namespace safestructures::inline v0::platform {

/// Appends to a vector, which the caller should reserve if the size is known.
class VectorSink final : public Sink {
 public:
  explicit VectorSink(std::vector<std::byte>& target) noexcept
      : target_(target), start_(target.size()) {}

  void write(std::span<const std::byte> bytes) override;
  std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override;
  void produced(std::size_t size) override;
  void compute_matrix(std::uint64_t rows, std::uint64_t row_size, std::size_t unit,
                      const PartProducer& produce) override;
  void expect(std::uint64_t size) override;
  [[nodiscard]] std::uint64_t position() const noexcept override { return end() - start_; }

 private:
  [[nodiscard]] std::size_t end() const noexcept { return target_.size() - prepared_; }

  std::vector<std::byte>& target_;
  std::size_t start_;
  std::size_t prepared_ = 0;  // Bytes at the end of the vector that are not written yet.
};

/// Writes to a stream; if the stream fails, throws an `Error` with code `cannot_write`. Small
/// pieces are gathered. The stream itself is flushed by `flush`, never by the destructor.
class StreamSink final : public Sink {
 public:
  explicit StreamSink(std::ostream& target) noexcept : target_(target) {}

  void write(std::span<const std::byte> bytes) override;
  std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override;
  void produced(std::size_t size) override;
  void flush() override;
  [[nodiscard]] std::uint64_t position() const noexcept override { return position_; }

 private:
  void send(std::span<const std::byte> bytes);
  void send_gathered();

  std::ostream& target_;
  std::shared_ptr<std::byte> buffer_;
  std::size_t gathered_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace safestructures::inline v0::platform
