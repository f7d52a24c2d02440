/// \file
/// Connects streams to the library's sinks.
#pragma once

#include <cstddef>
#include <ios>
#include <span>
#include <streambuf>

#include <safestructures/data/sink.hpp>

namespace safestructures::cli {

/// A stream buffer that writes into a sink.
class SinkBuffer final : public std::streambuf {
 public:
  explicit SinkBuffer(Sink& sink) : sink_(sink) {}

 private:
  int overflow(int character) override {
    const char byte = static_cast<char>(character);
    xsputn(&byte, 1);
    return character;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    sink_.write_copied(std::as_bytes(std::span(text, static_cast<std::size_t>(size))));
    return size;
  }

  Sink& sink_;
};

}  // namespace safestructures::cli
