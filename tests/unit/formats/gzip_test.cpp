/// \file
/// gzip around any format: what is packed comes back, by name and by content, and what is malformed
/// is refused with its exact error. That Python packs and unpacks the same is in
/// interop/gzip_test.py.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "formats/gzip/deflate_blocks.hpp"
#include "platform/sink.hpp"
#include "support/errors.hpp"
#include "support/folder.hpp"
#include "support/gzip_cases.hpp"
#include "support/memory_source.hpp"

namespace ss = safestructures;
using ss::test::bytes_of;
using ss::test::error_of;
using ss::test::Folder;
using ss::test::GzipMember;
using ss::test::little_endian;
using ss::test::text_of;

namespace {

using Model = std::map<std::string, std::vector<float>>;

Model model(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> weights(0, 0.02F);
  Model result;
  for (const char* name : {"a", "b"})
    for (std::size_t i = 0; i < count; ++i) result[name].push_back(weights(random));
  return result;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string packed(std::string_view text, const ss::Limits& limits = {}) {
  std::vector<std::byte> bytes;
  ss::platform::VectorSink target(bytes);
  ss::gzip::Packer packer(target, limits);
  packer.write(std::as_bytes(std::span(text)));
  CHECK(packer.position() == text.size());
  packer.finish();
  return text_of(bytes);
}

std::string unpacked(std::string_view text, const ss::LoadOptions& options = {}) {
  const auto source = std::make_shared<const ss::test::MemorySource>("m.gz", bytes_of(text));
  const std::shared_ptr<const ss::Source> inner = ss::gzip::unpacked(source, options);
  CHECK(inner->name() == "m.gz");
  const ss::SharedBytes all = inner->view(0, static_cast<std::size_t>(inner->size()));
  return text_of(all.bytes);
}

std::string unpack_error(std::string_view text, const ss::Limits& limits = {}) {
  return error_of([&] { return unpacked(text, {.limits = limits}); });
}

}  // namespace

TEST_CASE("a name that ends in .gz is packed, in the format of what stands before it") {
  const Folder folder;
  for (const std::string name : {"m.safetensors.gz", "m.json.gz", "m.JSON.GZ", "m.gz"}) {
    CAPTURE(name);
    const auto path = folder / name;
    const ss::SaveReport report = ss::save_file(model(1000), path);
    CHECK(report.bytes == std::filesystem::file_size(path));
    CHECK(file_text(path).substr(0, 10) == std::string("\x1F\x8B\x08\0\0\0\0\0\0\xFF", 10));
    for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
      CHECK(ss::load_file<Model>(path, {.access = access}) == model(1000));
      CHECK(ss::load_file(path, {.access = access})["a"].tensor().size() == 1000);
    }
    const bool is_json = name.size() == 9;
    const ss::Document document = ss::open(path);
    CHECK(document.format().name() == (is_json ? "json" : "safestructures"));
    CHECK(document.content().files == std::vector<std::filesystem::path>{path});
    CHECK(document.at("/a").tensor().is_loaded());
    CHECK(ss::verify_file(path).tensor_count == 2);
    const std::string bytes = file_text(path);
    CHECK(ss::load<Model>(bytes_of(bytes)) == model(1000));
    // By what it holds, whatever it is called.
    put(folder / "other", bytes);
    CHECK(ss::load_file<Model>(folder / "other") == model(1000));
  }
}

TEST_CASE("a packed file holds the bytes of the same save without gzip") {
  const Folder folder;
  ss::save_file(model(1000), folder / "m.safetensors", {.checksums = true});
  ss::save_file(model(1000), folder / "m.safetensors.gz", {.checksums = true});
  CHECK(unpacked(file_text(folder / "m.safetensors.gz")) == file_text(folder / "m.safetensors"));
  CHECK(ss::verify_file(folder / "m.safetensors.gz").has_checksums);
}

TEST_CASE("a file may be converted into a packed one and back, and onto itself") {
  const Folder folder;
  const auto path = folder / "m.safetensors.gz";
  ss::save_file(model(10), folder / "m.safetensors",
                {.metadata = {{"run", "42"}}, .checksums = true});
  ss::convert_file(ss::open(folder / "m.safetensors"), path);
  CHECK(ss::open(path).metadata() == ss::Metadata{{"run", "42"}});
  const ss::Document packed_document = ss::open(path);
  CHECK(packed_document.content().has_checksums);
  ss::convert_file(ss::open(path), path);
  ss::convert_file(ss::open(path), folder / "again.safetensors");
  CHECK(file_text(folder / "again.safetensors") == file_text(folder / "m.safetensors"));
}

TEST_CASE("bytes of every size and kind come back") {
  std::mt19937 random(2);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{65'535}, std::size_t{65'536},
        std::size_t{1} << 20U, (std::size_t{1} << 20U) + 1, std::size_t{8} << 20U,
        (std::size_t{8} << 20U) + 4096, (std::size_t{17} << 20U) + 5}) {
    CAPTURE(size);
    std::string text(size, 'x');
    CHECK(unpacked(packed(text)) == text);
    // Few values, so that there are codes of all lengths, and repetitions far and near.
    for (char& byte : text) byte = static_cast<char>(random() & random() & random() & 0xFFU);
    CHECK(unpacked(packed(text)) == text);
    for (char& byte : text) byte = static_cast<char>(random());
    CHECK(unpacked(packed(text)) == text);
  }
}

TEST_CASE("the packed bytes depend on the content alone, and are one member") {
  std::mt19937 random(3);
  std::string text(std::size_t{20} << 20U, ' ');
  for (char& byte : text) byte = static_cast<char>(random() % 11);
  const std::string whole = packed(text);
  std::vector<std::byte> bytes;
  ss::platform::VectorSink target(bytes);
  ss::gzip::Packer packer(target);
  std::string_view left = text;
  // The room of a sink may be used only in part, and small pieces mix with large ones.
  while (!left.empty()) {
    const std::size_t wanted = std::min<std::size_t>(left.size(), 1 + random() % 300'000);
    const std::span<std::byte> room = packer.prepare(std::min<std::size_t>(wanted, 4096), wanted);
    const std::size_t used = std::min(room.size(), left.size());
    std::copy_n(bytes_of(left.substr(0, used)).begin(), used, room.begin());
    packer.produced(used);
    left.remove_prefix(used);
  }
  packer.finish();
  CHECK(text_of(bytes) == whole);
  // Behind the one header there is no other: the length in the trailer is that of everything.
  CHECK(whole.substr(whole.size() - 4) == little_endian(text.size(), 4));
  CHECK(unpacked(whole) == text);
}

TEST_CASE("a stream of the fixed codes of deflate is reopened, too") {
  const std::string all = "qmzrhlajoetbkwltztvi";
  std::string text = "\"" + all;
  for (int i = 0; i < 300; ++i) text += "\xC3\xA9";
  text += all + "xxx" + all.substr(0, 5) + std::string(20, 'y') + all.substr(0, 10) +
          std::string(40, 'z') + all.substr(3, 12) + "\xE2\x82\xAC\xC3\x9F\xC3\xBF" +
          std::string(9000, 'w') + all + "\"";
  // By zlib with Z_FIXED; libdeflate seldom takes these codes for as much as is packed at once.
  std::string stream(
      "\x53\x2A\xCC\xAD\x2A\xCA\xC8\x49\xCC\xCA\x4F\x2D\x49\xCA\x2E\xCF\x29\xA9\x2A\x29"
      "\xCB\x3C\xBC\x72\x14\x8E\x42\xEA\x43\x6C\x69\xAD\xA2\xA2\x02\x2C\x5C\x89\x05\x20"
      "\xD4\x57\x11\x09\x90\x8D\x7F\xD4\xB4\xE6\xF0\xFC\xC3\xFB\xCB\x47\xC1\x28\x18\x05"
      "\xA3\x60\x14\x8C\x82\x51\x30\x0A\x46\xC1\x28\x18\x05\xA3\x60\x14\x8C\x82\x51\x30"
      "\x0A\x46\xC1\x28\x18\x05\xA3\x60\x14\x8C\x82\x51\x30\x0A\x46\xC1\x28\x18\x05\xA3"
      "\x60\x14\x8C\x82\x51\x30\x0A\x46\xC1\x28\x18\x01\x00\xDB\xE2\x1C\x25\x00",
      118);
  const std::size_t size = stream.size();
  stream.resize(size + ss::gzip::reopen_room);
  stream.resize(ss::gzip::reopen(std::as_writable_bytes(std::span(stream)), size));
  const GzipMember last{" "};
  const GzipMember whole{text + " "};
  CHECK(unpacked(whole.header + stream + last.stored() + whole.checksum() + whole.length()) ==
        text + " ");
}

TEST_CASE("several members are one file, whatever stands in their headers") {
  std::string header("\x1F\x8B\x08\x1E\0\0\0\0\2\3", 10);
  header += std::string("\3\0abc", 5) + std::string("name\0", 5) + std::string("comment\0", 8);
  header += little_endian(ss::test::crc32(header) & 0xFFFFU, 2);
  const GzipMember first{"[1, "};
  const GzipMember empty{""};
  const GzipMember second{"2]", header};
  const std::string text = first.text() + empty.text() + second.text();
  CHECK(unpacked(text) == "[1, 2]");
  CHECK(ss::load(bytes_of(text)) == ss::Value::list({1, 2}));
  CHECK(unpacked(packed(std::string(300'000, 'a')) + packed("b")) ==
        std::string(300'000, 'a') + "b");
}

TEST_CASE("a file that does not begin like gzip is left alone") {
  const std::string text = "[1]";
  const auto source = std::make_shared<const ss::test::MemorySource>("a.gz", bytes_of(text));
  CHECK(ss::gzip::unpacked(source) == source);
  CHECK(unpacked("") == "");
  CHECK(unpacked("\x1F\x8B") == "\x1F\x8B");
  // A container whose header is 559,903 bytes long begins in the same way.
  std::string header = R"({"__metadata__":{"pad":")";
  header += std::string(559'903 - header.size() - 3, 'x') + "\"}}";
  const std::string container = little_endian(header.size(), 8) + header;
  REQUIRE(container.starts_with("\x1F\x8B\x08"));
  CHECK(ss::load(bytes_of(container)) == ss::Value::dict());
}

TEST_CASE("the inner name is that before .gz") {
  CHECK(ss::gzip::inner_name("m.json.gz") == "m.json");
  CHECK(ss::gzip::inner_name("m.json.GZ") == "m.json");
  CHECK(ss::gzip::inner_name("m.json") == "m.json");
  CHECK(ss::gzip::inner_name("gz") == "gz");
  CHECK(ss::formats::for_name("m.json.gz")->name() == "json");
  CHECK(ss::formats::for_name("m.gz.json")->name() == "json");
}

TEST_CASE("an index of shards may be packed, the shards beside it not") {
  const Folder folder;
  ss::save_file(model(100), folder / "m.safetensors", {.shard_size = 400});
  const std::string index = file_text(folder / "m.safetensors.index.json");
  std::filesystem::remove(folder / "m.safetensors.index.json");
  put(folder / "m.safetensors.index.json.gz", packed(index));
  CHECK(ss::load_file<Model>(folder / "m.safetensors.index.json.gz") == model(100));
  const auto path = folder / "n.safetensors.gz";
  CHECK(error_of([&] { return ss::save_file(model(100), path, {.shard_size = 400}); }) ==
        "invalid_argument: " + path.string() +
            ": shards cannot be packed by gzip: expected a file name without .gz, found "
            "SaveOptions::shard_size. Leave the option out, or choose another name.");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a malformed member is refused with its place") {
  const GzipMember good{"[1, 2, 3]"};
  REQUIRE(unpacked(good.text()) == "[1, 2, 3]");
  const auto with_header = [&](std::string header) {
    return header + good.stored() + good.checksum() + good.length();
  };
  const auto flags = [](char value, const std::string& behind) {
    return std::string("\x1F\x8B\x08", 3) + value + std::string("\0\0\0\0\0\xFF", 6) + behind;
  };
  const std::string incomplete = " The file is not complete: copy or download it again.";
  const std::string damaged =
      "damaged: m.gz: the packed data is damaged or ends too early (byte 10). Copy or download the "
      "file again.";
  struct Case {
    std::string text;
    std::string error;
  };
  const std::vector<Case> cases = {
      {good.text().substr(0, 5),
       "truncated: m.gz: the packed file ends inside the header of a gzip member: expected 10 "
       "bytes, "
       "found 5 (byte 0)." +
           incomplete},
      {with_header(flags('\x20', "")),
       "invalid_header: m.gz: a gzip member has unknown flags: expected bits 0 to 4, found 0x20 "
       "(byte "
       "3)."},
      {flags('\4', "\1"),
       "truncated: m.gz: the packed file ends inside the header of a gzip member: expected 2 "
       "bytes, "
       "found 1 (byte 10)." +
           incomplete},
      {flags('\4', "\xFF\xFFxx"),
       "truncated: m.gz: the packed file ends inside the header of a gzip member: expected 65535 "
       "bytes, found 2 (byte 12)." +
           incomplete},
      {flags('\x08', "name"),
       "truncated: m.gz: the packed file ends inside the header of a gzip member: expected 1 "
       "bytes, "
       "found 0 (byte 14)." +
           incomplete},
      {with_header(flags('\2', "xx")),
       "checksum_mismatch: m.gz: the header of a gzip member is damaged: expected CRC 7878, found "
       "C990 (byte 10)."},
      {good.header, damaged},
      {good.header + "\x07" + good.stored(), damaged},
      {good.header + good.stored().substr(0, 8), damaged},
      {good.header + good.stored() + good.checksum() + "\x09",
       "truncated: m.gz: the packed file ends inside the trailer of a gzip member: expected 8 "
       "bytes, "
       "found 5 (byte 24)." +
           incomplete},
      {good.header + good.stored() + "abcd" + good.length(),
       "checksum_mismatch: m.gz: the packed data is damaged: expected CRC 64636261, found B8213BC1 "
       "(byte 24). Copy or download the file again."},
      {good.header + good.stored() + good.checksum() + little_endian(8, 4),
       "damaged: m.gz: a gzip member does not have the length that it states: expected 8 bytes, "
       "found 9 "
       "(byte "
       "28)."},
      {good.text() + std::string(3, '\0'),
       "invalid_header: m.gz: there are bytes after the packed data: expected the end of the "
       "file, "
       "or another gzip member, found 3 bytes (byte 32). Remove them, or copy or download the file "
       "again."},
      {good.text() + "\x1F",
       "invalid_header: m.gz: there are bytes after the packed data: expected the end of the "
       "file, "
       "or another gzip member, found 1 bytes (byte 32). Remove them, or copy or download the file "
       "again."},
      {good.text() + std::string("\x1F\x8B\x09\0\0\0\0\0\0\xFF", 10),
       "invalid_header: m.gz: a gzip member has an unknown compression method: expected 8, "
       "deflate, "
       "found 9 (byte 34)."},
      {GzipMember{good.text()}.text(),
       "invalid_header: m.gz: the file is packed twice: expected a file of one of the "
       "formats, "
       "found gzip in gzip. Unpack it once with gunzip."},
  };
  for (const Case& test : cases) {
    CAPTURE(test.error);
    CHECK(unpack_error(test.text) == test.error);
  }
}

TEST_CASE("a packed file cut at any byte is refused; with any bit flipped it is, or is the same") {
  const Folder folder;
  const auto path = folder / "m.safetensors.gz";
  ss::save_file(model(20), path);
  const std::string good = file_text(path);
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    put(path, good.substr(0, size));
    const std::string error = error_of([&] { return ss::load_file<Model>(path); });
    CHECK(error.find(path.string()) != std::string::npos);
    if (size >= 18) CHECK(error.starts_with(size + 8 >= good.size() ? "truncated: " : "damaged: "));
  }
  // Of the header only what says how to read on is looked at: nobody needs the time.
  for (std::size_t bit = 8 * 10; bit < 8 * good.size(); ++bit) {
    CAPTURE(bit);
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    std::optional<Model> loaded;
    try {
      loaded = ss::load<Model>(bytes_of(bad));
    } catch (const ss::Error& error) {
      CHECK(error.what()[0] != '\0');
    }
    if (!loaded) continue;
    // The bits that fill the last byte of the data say nothing.
    CHECK(*loaded == model(20));
    CHECK(bit / 8 == good.size() - 9);
  }
}

TEST_CASE("a file that expands too far is refused at the limit") {
  // 10 MB that would become 10 GB: refused when 1 GB of it is there, 100 times its size.
  const std::string zeros(std::size_t{64} << 20U, '\0');
  std::string bomb = packed(zeros);
  REQUIRE(bomb.size() < 70'000);
  CHECK(unpack_error(bomb) == "no error");  // 64 MiB are always allowed, whatever they come from.
  std::string members;
  for (int i = 0; i < 5; ++i) members += bomb;
  CHECK(unpack_error(members) ==
        "limit_exceeded: m.gz: a compressed file is too large when unpacked: expected at most "
        "268435456 bytes "
        "(Limits::expansion), found more in " +
            std::to_string(members.size()) + ". Raise the limit if you trust the file.");
  CHECK(unpack_error(members, {.expansion = 1100}) == "no error");
}

TEST_CASE("a file that could not be unpacked again is not packed") {
  const Folder folder;
  const auto path = folder / "m.safetensors.gz";
  const std::vector<std::uint8_t> zeros(std::size_t{257} << 20U);
  const std::string error = error_of([&] { return ss::save_file(zeros, path); });
  CHECK(
      error.starts_with("limit_exceeded: " + path.string() +
                        ": the packed file could not be unpacked again: expected at most 268435456 "
                        "bytes (Limits::expansion), found 2694"));
  CHECK(error.ends_with(
      ". Save it under a name without .gz, or raise the limit, here and where it is loaded."));
  CHECK(folder.names().empty());
  ss::save_file(zeros, path, {.limits = {.expansion = 1100}});
  CHECK(error_of([&] { return ss::load_file(path); }).starts_with("limit_exceeded: "));
  CHECK(ss::load_file<std::vector<std::uint8_t>>(path, {.limits = {.expansion = 1100}}) == zeros);
}
