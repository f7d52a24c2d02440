/// \file
/// Where the writers of containers put their bytes: a file, a stream or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

namespace safestructures::platform {

/// A receiver of bytes, in order.
///
/// After any member has thrown, only destruction is allowed.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Takes the next bytes. They may be looked at as late as in `flush`: until then they must stay
  /// valid and unchanged.
  virtual void write(std::span<const std::byte> bytes) = 0;

  /// Room for the sink's next bytes, for producers that compute them, so that nothing is copied
  /// twice: fill the front of it, then say how much by `produced`, before anything else is called.
  /// \returns between `minimum` and `wanted` bytes; the address is not aligned.
  /// \param minimum not above `wanted` nor `largest_minimum`; 1 at least. \param wanted 1 at least.
  [[nodiscard]] virtual std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) = 0;
  /// Takes the first `size` bytes of what `prepare` gave.
  virtual void produced(std::size_t size) = 0;

  /// Fills the room for the bytes from `offset` on.
  using Producer = std::function<void(std::uint64_t offset, std::span<std::byte> room)>;

  /// Takes `size` bytes that are computed in pieces. Their offsets and, but for the last, sizes are
  /// multiples of `unit`. A file has large ones computed by two threads at once, in any order.
  /// \param unit not above `largest_minimum`
  virtual void compute(std::uint64_t size, std::size_t unit, const Producer& produce);

  /// Lets go of everything that `write` referred to.
  virtual void flush() = 0;

  /// Bytes taken so far.
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;

  /// Takes the next bytes and does not refer to them afterwards.
  void write_copied(std::span<const std::byte> bytes);

  static constexpr std::size_t largest_minimum = 4096;

 protected:
  Sink() = default;
  Sink(const Sink&) = default;
  Sink& operator=(const Sink&) = default;
};

/// Appends to a vector, which the caller reserves when the size is known.
class VectorSink final : public Sink {
 public:
  explicit VectorSink(std::vector<std::byte>& target) noexcept
      : target_(target), start_(target.size()) {}

  void write(std::span<const std::byte> bytes) override;
  std::span<std::byte> prepare(std::size_t minimum, std::size_t wanted) override;
  void produced(std::size_t size) override;
  void flush() override {}
  [[nodiscard]] std::uint64_t position() const noexcept override { return end() - start_; }

 private:
  [[nodiscard]] std::size_t end() const noexcept { return target_.size() - prepared_; }

  std::vector<std::byte>& target_;
  std::size_t start_;
  std::size_t prepared_ = 0;  // Bytes at the end of the vector that are only room.
};

/// Writes to a stream, whose failure is an `Error` with code `cannot_write`. Small pieces are
/// gathered. The stream itself is flushed by `flush`, never by the destructor.
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

}  // namespace safestructures::platform
