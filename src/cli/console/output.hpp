/// \file
/// Writes to the standard output or to a file, and detects failures.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace safestructures::cli {

/// A stream whose failures are CallErrors. Nothing is certain to be written before `finish`.
class Output final : private std::streambuf, public std::ostream {
 public:
  /// \param name the file's name in errors
  Output(std::FILE* file, std::string name);
  void finish();

 private:
  int overflow(int character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  [[noreturn]] void fail() const;

  std::FILE* file_;
  std::string name_;
};

/// Lets `fill` write a file, in the way the library writes its own: under a temporary name that
/// becomes `path` when it is complete, so that a file that is being read may be replaced, and a
/// failure leaves the old one. Devices and pipes are written to directly; `-` is the standard
/// output.
/// \throws CallError
void write_output_file(const std::filesystem::path& path,
                       const std::function<void(std::ostream&)>& fill);

/// Returns whether the file is a terminal.
bool is_terminal(std::FILE* file) noexcept;

/// Returns a size such as `"600 bytes"` or `"12.3 KiB"`.
std::string human_size(std::uint64_t bytes);

/// Returns `"step 3"`, or `"steps 0 to 9"`.
template <class Number>
std::string range_text(std::string_view noun, Number least, Number most) {
  std::string text(noun);
  if (least == most) return text + ' ' + std::to_string(least);
  return text + "s " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace safestructures::cli
