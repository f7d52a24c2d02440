// Files that are no safetensors files: the error says what they are.
#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <utility>

#include <safestructures/safestructures.hpp>
#include "support/errors.hpp"
#include "support/folder.hpp"

namespace ss = safestructures;
using ss::test::error_of;

namespace {

std::string error_for(const std::string& content) {
  const ss::test::Folder folder;
  const auto path = folder / "model.safetensors";
  std::ofstream(path, std::ios::binary) << content;
  const std::string error = error_of([&] { return ss::load_file(path); });
  const std::string start = "invalid_header: " + path.string() + ": the file has another format: ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

}  // namespace

TEST_CASE("a file of another format is named in the error") {
  using namespace std::string_literals;
  const std::string from_python =
      " Load it with the program that made it, and save it with Python's safetensors or "
      "safestructures.";
  const std::pair<std::string, std::string> cases[] = {
      {"PK\x03\x04\x14\x00\x00\x00\x08\x00 and more"s,
       "a ZIP archive, like the files of NumPy (.npz), PyTorch (.pt, .pth) and Keras." +
           from_python},
      {"\x93NUMPY\x01\x00v\x00{'descr'"s, "a NumPy array (.npy)." + from_python},
      {"\x89HDF\r\n\x1A\n\x00\x00"s, "an HDF5 file (.h5)." + from_python},
      {"\x80\x02\x8A\x0Al\xFC\x9C"s, "a Python pickle, like older files of PyTorch." + from_python},
      {"\x80\x04\x95\x10\x00\x00\x00"s, "a Python pickle." + from_python},
      {"\x80\x05\x95\x10\x00\x00\x00"s, "a Python pickle." + from_python},
      {"GGUF\x03\x00\x00\x00\x00"s, "a GGUF model. Convert it with the tools of llama.cpp."},
      {"\x28\xB5\x2F\xFD\x04\x00\x00\x00\x00"s,
       "a Zstandard archive. Unpack it first, for example with unzstd."},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
       "a pointer of Git LFS instead of the file. Fetch the file itself with 'git lfs pull'."},
      {"\n<!DOCTYPE HTML><html><head>",
       "a web page (HTML). The download may have failed: read the page."},
      {"\r\n <HEAD><title>404</title>",
       "a web page (HTML). The download may have failed: read the page."},
      {"<html><body>404</body></html>",
       "a web page (HTML). The download may have failed: read the page."},
  };
  for (const auto& [content, expected] : cases)
    CHECK(error_for(content) == "expected a safetensors file, found " + expected);
}

TEST_CASE("a .bin of another program is named in the error") {
  const ss::test::Folder folder;
  const auto path = folder / "pytorch_model.bin";
  const auto error = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    return error_of([&] { return ss::load_file<int>(path); });
  };
  const std::string problem = "invalid_header: " + path.string() +
                              ": at /: the file has another format: expected a record of Burn, "
                              "found ";
  const std::string advice =
      " Load it with the program that made it, and save it with Python's safetensors or "
      "safestructures.";
  CHECK(error("PK\x03\x04" + std::string(200, '\xFF')) ==
        problem + "a ZIP archive, like the files of NumPy (.npz), PyTorch (.pt, .pth) and Keras." +
            advice);
  CHECK(error("\x80\x02\x8A" + std::string(200, 'l')) ==
        problem + "a Python pickle, like older files of PyTorch." + advice);
  CHECK(
      error("\xFFsomething") ==
      "invalid_header: " + path.string() +
          ": at /: a byte cannot begin an integer: expected a byte up to 253, found 255 (byte 0). "
          "Check that the C++ type has the fields of the record, in its order.");
}

TEST_CASE("JSON in place of a safetensors file is named as such") {
  const ss::test::Folder folder;
  const auto path = folder / "model.safetensors";
  for (const std::string text : {R"({"error": "not found", "status": 404})", " [1, 2, 3]\n"}) {
    CAPTURE(text);
    std::ofstream(path) << text;
    CHECK(
        error_of([&] { return ss::load_file(path, {.format = ss::formats::safestructures()}); }) ==
        "invalid_header: " + path.string() +
            ": the file has another format: expected a safetensors file, found JSON. Only the "
            ".index.json of a checkpoint in several files can be opened as one; load other JSON "
            "with LoadOptions::format = formats::json().");
  }
}

TEST_CASE("a damaged file of no other format keeps its own error") {
  CHECK(error_for(std::string("\x05\x00\x00\x00\x00\x00\x00\x00hello", 13)).find("another kind") ==
        std::string::npos);
  // A header of 123 bytes has a length that begins like a text.
  CHECK(error_for(std::string("{\x00\x00\x00\x00\x00\x00\x00{\"a\":", 13)).find("another kind") ==
        std::string::npos);
}

TEST_CASE("a safetensors file whose header's length begins as another kind does keeps its error") {
  const auto file = [](std::size_t length) {
    std::string header = R"({"t":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})";
    header.resize(length, ' ');
    std::string size;
    for (int i = 0; i < 8; ++i) size += static_cast<char>(length >> (8 * i) & 0xFF);
    return size + header + std::string(16, '\0');
  };
  // 80 02, 80 04 and 80 05 begin pickles; PK\3\4 would be 67,324,752 bytes.
  for (const std::size_t length : {0x280U, 0x480U, 0x580U, 0x10280U, 0x288U}) {
    CAPTURE(length);
    const std::string whole = file(length);
    CHECK(error_for(whole) == "no error");
    const std::string cut = error_for(whole.substr(0, whole.size() - 6));
    CHECK(cut.starts_with("truncated: "));
    CHECK(error_for(whole.substr(0, 100)).find("another kind") == std::string::npos);
    const ss::test::Folder folder;
    const auto path = folder / "model.safetensors";
    std::ofstream(path, std::ios::binary) << whole;
    CHECK(error_of([&] {
            return ss::load_file(path, {.verify_checksums = true});
          }).starts_with("checksum_mismatch: "));
    CHECK(error_of([&] {
            return ss::load_file(path, {.limits = {.rank = 0}});
          }).starts_with("limit_exceeded: "));
  }
}
