/// \file
/// What hostile input may cost, by a counting allocator, and what happens when memory runs out at
/// any point of a save or a load.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <safestructures/codecs/codecs.hpp>
#include <safestructures/formats/safetensors.hpp>
#include <safestructures/formats/schema.hpp>
#include <safestructures/tools/load.hpp>
#include <safestructures/tools/save.hpp>

#include "support/platform_folder.hpp"

namespace {

// Atomic: doctest and the library may have threads.
std::atomic<long> allocations_left{-1};
std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)),
                       std::max<std::size_t>(size, 1)) != 0)
    throw std::bad_alloc();
  const std::size_t now = live += ::malloc_usable_size(memory);
  std::size_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  live -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace {

namespace ss = safestructures;
using platform_test::Folder;

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string container(const std::string& header, std::size_t data = 0) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFFU);
  return bytes + header + std::string(data, '\0');
}

std::string escaped(const std::string& text) {
  std::string result;
  result.reserve(text.size() * 2);
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

/// A file with that schema and a tensor `t`, of 8 bytes.
std::string with_schema(const std::string& schema) {
  return container(R"({"__metadata__":{"_safestructures_schema_":")" + escaped(schema) +
                       R"("},"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
                   8);
}

/// `text(0)`, `text(1)` ... with commas between them.
std::string joined(std::size_t count, const std::function<std::string(std::size_t)>& text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) result += ',';
    result += text(i);
  }
  return result;
}

std::string node(const std::string& type, const std::string& value) {
  return R"({"data_type":")" + type + R"(","value":)" + value + "}";
}

std::string dict(std::size_t count, const std::function<std::string(std::size_t)>& label,
                 const std::function<std::string(std::size_t)>& key, const std::string& end = {}) {
  return R"({"data_type":"dict","value":{)" +
         joined(count,
                [&](std::size_t i) { return "\"" + label(i) + "\":" + node("NoneType", "null"); }) +
         R"(},"keys":{)" +
         joined(count, [&](std::size_t i) { return "\"" + label(i) + "\":" + key(i); }) + "}" +
         end + "}";
}

/// Hostile input of a size that grows with `n`.
struct Attack {
  std::string name;
  std::string (*bytes)(std::size_t n);
};

std::string number(std::size_t i) { return std::to_string(i); }
std::string text_node(std::size_t i) { return node("str", "\"" + number(i) + "\""); }
std::string long_prefix(std::size_t i) { return std::string(64, 'p') + number(i); }

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all = {
      {"open brackets as a header",
       [](std::size_t n) { return container(std::string(32 * n, '[')); }},
      {"open brackets in a header",
       [](std::size_t n) { return container("{\"a\":{\"x\":" + std::string(32 * n, '[')); }},
      {"open brackets as a schema",
       [](std::size_t n) { return with_schema(std::string(32 * n, '[')); }},
      {"blanks", [](std::size_t n) { return container("{" + std::string(64 * n, ' ')); }},
      {"empty tensors",
       [](std::size_t n) {
         return container("{" +
                          joined(n,
                                 [](std::size_t i) {
                                   return "\"" + number(i) +
                                          R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                                 }) +
                          "}");
       }},
      {"tensors, the last one twice",
       [](std::size_t n) {
         return container("{" +
                          joined(n + 1,
                                 [n](std::size_t i) {
                                   return "\"" + number(std::min(i, n - 1)) +
                                          R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                                 }) +
                          "}");
       }},
      {"shapes of many dimensions",
       [](std::size_t n) {
         return container("{" +
                          joined(n / 4 + 1,
                                 [](std::size_t i) {
                                   return "\"" + number(i) + R"(":{"dtype":"U8","shape":[0)" +
                                          repeated(",1", 63) + R"(],"data_offsets":[0,0]})";
                                 }) +
                          "}");
       }},
      {"names with a long common beginning",
       [](std::size_t n) {
         return container("{" +
                          joined(n,
                                 [](std::size_t i) {
                                   return "\"" + long_prefix(i) +
                                          R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                                 }) +
                          "}");
       }},
      {"names of 400 steps",
       [](std::size_t n) {
         return container("{" +
                          joined(n / 32 + 1,
                                 [](std::size_t i) {
                                   return "\"" + number(i) + repeated(".a", 399) +
                                          R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                                 }) +
                          "}");
       }},
      {"one long name with 400 steps at its end, below another",
       [](std::size_t n) {
         const std::string name(64 * n, 'x');
         return container("{\"" + name + repeated(".a", 399) +
                          R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},")" + name +
                          R"(.a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})");
       }},
      {"metadata",
       [](std::size_t n) {
         return container(R"({"__metadata__":{)" +
                          joined(n, [](std::size_t i) { return "\"" + number(i) + "\":\"\""; }) +
                          "}}");
       }},
      {"escapes",
       [](std::size_t n) {
         return container(R"({"__metadata__":{"a":")" + repeated(R"(\u20ac)", 8 * n) + "\"}}");
       }},
      {"empty lists as plain JSON",
       [](std::size_t n) { return with_schema(node("T", "[" + repeated("[],", 8 * n) + "0]")); }},
      {"empty objects as plain JSON",
       [](std::size_t n) { return with_schema(node("T", "[" + repeated("{},", 8 * n) + "0]")); }},
      {"numbers as plain JSON",
       [](std::size_t n) { return with_schema(node("T", "[" + repeated("0,", 8 * n) + "0]")); }},
      {"a lone surrogate and numbers",
       [](std::size_t n) {
         return with_schema(node("T", R"(["\ud800",)" + repeated("0,", 8 * n) + "0]"));
       }},
      {"a list of None",
       [](std::size_t n) {
         return with_schema(node(
             "list", "[" + joined(n, [](std::size_t) { return node("NoneType", "null"); }) + "]"));
       }},
      {"a list of one tensor",
       [](std::size_t n) {
         return with_schema(node("list", "[" + joined(n, [](std::size_t) {
                                           return node("torch.Tensor", "\"t\"");
                                         }) + "]"));
       }},
      {"a list of one converted tensor",
       [](std::size_t n) {
         return with_schema(
             node("list", "[" + joined(n, [](std::size_t) {
                            return std::string(
                                R"({"data_type":"torch.Tensor","value":"t","dtype":"F64"})");
                          }) + "]"));
       }},
      {"a set of numbers",
       [](std::size_t n) {
         return with_schema(node("set", "[" + joined(n, [](std::size_t i) {
                                          return node("int", "\"" + number(i) + "\"");
                                        }) + "]"));
       }},
      {"a dict", [](std::size_t n) { return with_schema(dict(n, number, text_node)); }},
      {"a dict with a fault at its end",
       [](std::size_t n) { return with_schema(dict(n, number, text_node, R"(,"keys":1)")); }},
      {"a dict of keys with a long common beginning",
       [](std::size_t n) {
         return with_schema(dict(n, long_prefix, [](std::size_t i) {
           return node("str", "\"" + long_prefix(i) + "\"");
         }));
       }},
      {"a dict with its keys in another order",
       [](std::size_t n) {
         return with_schema(
             R"({"data_type":"dict","value":{)" +
             joined(n, [](std::size_t i) { return "\"" + number(i) + "\":" + text_node(i); }) +
             R"(},"keys":{)" +
             joined(n,
                    [n](std::size_t i) {
                      return "\"" + number(n - 1 - i) + "\":" + text_node(n - 1 - i);
                    }) +
             "}}");
       }},
      {"a dict of equal keys",
       [](std::size_t n) {
         return with_schema(dict(n, number, [](std::size_t) { return text_node(0); }));
       }},
      {"a dict of tuples",
       [](std::size_t n) {
         return with_schema(dict(n, number, [](std::size_t i) {
           return node("tuple", "[" + text_node(0) + "," + text_node(i) + "]");
         }));
       }},
      {"attributes up to the limit",
       [](std::size_t n) {
         return with_schema(node(
             "list",
             "[" + joined(n / 250 + 1, [](std::size_t) {
               return R"({"data_type":"list","value":[],)" +
                      joined(1000, [](std::size_t i) { return "\"a" + number(i) + "\":0"; }) + "}";
             }) + "]"));
       }},
      {"a million attributes",
       [](std::size_t n) {
         return with_schema(
             R"({"data_type":"list","value":[],)" +
             joined(8 * n, [](std::size_t i) { return "\"a" + number(i) + "\":0"; }) + "}");
       }},
      {"an integer of a million digits",
       [](std::size_t n) {
         return with_schema(node("int", "\"" + std::string(64 * n, '9') + "\""));
       }},
      {"a plain integer of a million digits",
       [](std::size_t n) { return with_schema(node("T", std::string(64 * n, '9'))); }},
      {"a float of a million digits",
       [](std::size_t n) {
         return with_schema(node("float", "\"0." + std::string(64 * n, '9') + "e-5\""));
       }},
      {"a complex number of a million digits",
       [](std::size_t n) {
         return with_schema(node("complex", "\"1-" + std::string(64 * n, '9') + "j\""));
       }},
      {"lists as deep as may be",
       [](std::size_t n) {
         return with_schema(node("list", "[" + joined(n / 128 + 1, [](std::size_t) {
                                           return repeated(R"({"data_type":"list","value":[)",
                                                           490) +
                                                  repeated("]}", 490);
                                         }) + "]"));
       }},
      {"a path of a million bytes in the error",
       [](std::size_t n) {
         return with_schema(R"({"data_type":"dataclass","value":{")" + std::string(64 * n, 'k') +
                            R"(":{"data_type":"int","value":"x"}}})");
       }},
  };
  return all;
}

/// Loads or refuses with an Error; true when it was loaded.
bool load(const std::string& bytes) {
  try {
    const ss::Value value = ss::load(std::as_bytes(std::span(bytes)));
    return value.kind() <= ss::Kind::custom;
  } catch (const ss::Error& error) {
    CHECK(std::string(error.what()).size() < 4 * bytes.size() + 4096);
    return false;
  }
}

template <class Work>
std::size_t peak_of(const Work& work) {
  const std::size_t before = live;
  peak = before;
  work();
  return peak - before;
}

/// The least time of several runs, at least one of them.
template <class Work>
double time_of(const Work& work) {
  double least = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min(
        least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

/// Quadratic time is 64 times as much for 8 times the input. Retried, for a busy machine.
void check_linear(const std::string& name, const std::function<void(std::size_t)>& work,
                  std::size_t n) {
  double ratio = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const double small = time_of([&] { work(n); });
    ratio = time_of([&] { work(8 * n); }) / small;
    if (ratio < 24) return;
  }
  CAPTURE(name);
  CHECK(ratio < 24);
}

struct Model {
  std::string name;
  std::vector<std::vector<double>> layers;
  std::map<std::int64_t, std::string> labels;
};

Model model() {
  return {.name = "a name that is longer than a short string",
          .layers = {{1, 2, 3}, {4}, {}},
          .labels = {{1, "one"}, {-2, "another text that needs memory of its own"}}};
}

}  // namespace

TEST_CASE("the memory to load or refuse a hostile file is at most 100 times its size") {
  double worst = 0;
  std::string worst_name;
  for (const Attack& attack : attacks()) {
    CAPTURE(attack.name);
    const std::string bytes = attack.bytes(8192);
    const std::size_t used = peak_of([&] { load(bytes); });
    CHECK(used <= 100 * bytes.size() + (1U << 20U));
    const double ratio = static_cast<double>(used) / static_cast<double>(bytes.size());
    if (ratio > worst) {
      worst = ratio;
      worst_name = attack.name;
    }
  }
  MESSAGE("the most: " << worst << " times its size for '" << worst_name << "'");
}

TEST_CASE("the time to load or refuse a hostile file grows with its size, not with its square") {
  for (const Attack& attack : attacks()) {
    const std::string small = attack.bytes(2048);
    const std::string large = attack.bytes(8 * 2048);
    check_linear(
        attack.name, [&](std::size_t n) { load(n == 2048 ? small : large); }, 2048);
  }
}

TEST_CASE("a length that is announced but not there costs nothing") {
  for (const std::uint64_t length : {std::uint64_t{99'999'999}, std::uint64_t{1} << 31U,
                                     std::uint64_t{1} << 60U, ~std::uint64_t{0}}) {
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xFFU);
    bytes += "{}";
    CHECK(peak_of([&] { CHECK_FALSE(load(bytes)); }) < 4096);
  }
  const std::string shape = container(
      R"({"a":{"dtype":"U8","shape":[4611686018427387904],"data_offsets":[0,4611686018427387904]}})");
  CHECK(peak_of([&] { CHECK_FALSE(load(shape)); }) < 16384);
}

TEST_CASE("a million names and entries load") {
  CHECK(load(with_schema(dict(1'000'000, number, text_node))));
  CHECK(load(container("{" +
                       joined(1'000'000,
                              [](std::size_t i) {
                                return "\"" + long_prefix(i) +
                                       R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
                              }) +
                       "}")));
}

TEST_CASE("saving takes time in proportion to the structure, whatever its labels") {
  const auto save = [](const ss::Value& value) { static_cast<void>(ss::schema::write(value)); };
  const auto custom_keys = [](std::size_t n) {
    ss::Value value = ss::Value::dict();
    for (std::size_t i = 0; i < n; ++i) {
      ss::Value key = ss::Value::custom("T", static_cast<std::uint64_t>(i));
      key.set_key_label("equal");
      value.insert(std::move(key), nullptr);
    }
    return value;
  };
  const auto equal_names = [](std::size_t n) {
    ss::Value value = ss::Value::list();
    for (std::size_t i = 0; i < n; ++i) {
      ss::Value tensor(ss::Tensor::own(std::vector<float>{1}));
      tensor.set_tensor_name("equal");
      value.push_back(std::move(tensor));
    }
    return value;
  };
  for (const auto& make : {std::function<ss::Value(std::size_t)>(custom_keys),
                           std::function<ss::Value(std::size_t)>(equal_names)}) {
    const ss::Value small = make(2000);
    const ss::Value large = make(16'000);
    check_linear(
        "labels", [&](std::size_t n) { save(n == 2000 ? small : large); }, 2000);
  }
}

TEST_CASE("out of memory at any allocation of a save is bad_alloc and leaves the old file") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  const Model object = model();
  ss::save_file(object, path, {.checksums = true});
  const std::string old = platform_test::get(path);
  const std::vector<double> more = {1, 2};
  long failures = 0;
  for (bool done = false; !done; ++failures) {
    bool is_bad_alloc = false;
    allocations_left = failures;
    try {
      ss::save_file(more, path, {.metadata = {{"a", "b"}}, .checksums = true});
      done = true;
    } catch (const std::bad_alloc&) {
      is_bad_alloc = true;
    } catch (const ss::Error&) {
    }
    allocations_left = -1;
    REQUIRE((done || is_bad_alloc));
    REQUIRE(folder.names() == std::vector<std::string>{"m.safetensors"});
    if (!done) REQUIRE(platform_test::get(path) == old);
  }
  CHECK(ss::load_file<std::vector<double>>(path) == more);
  CHECK(failures > 20);
}

TEST_CASE("out of memory at any allocation of a load is bad_alloc") {
  const Folder folder;
  const auto path = folder / "m.safetensors";
  const Model object = model();
  ss::save_file(object, path, {.checksums = true});
  for (const ss::Access access : {ss::Access::map, ss::Access::read, ss::Access::memory}) {
    const std::size_t before = live;
    long failures = 0;
    for (bool done = false; !done; ++failures) {
      bool is_bad_alloc = false;
      allocations_left = failures;
      try {
        const Model loaded =
            ss::load_file<Model>(path, {.access = access, .verify_checksums = true});
        done = loaded.labels == object.labels && loaded.layers == object.layers;
      } catch (const std::bad_alloc&) {
        is_bad_alloc = true;
      } catch (const ss::Error&) {
      }
      allocations_left = -1;
      REQUIRE((done || is_bad_alloc));
    }
    CHECK(failures > 20);
    CHECK(live == before);
  }
}

TEST_CASE("out of memory at any allocation of a dynamic load is bad_alloc, and nothing leaks") {
  const std::string bytes = with_schema(dict(20, number, text_node));
  const std::size_t before = live;
  long failures = 0;
  for (bool done = false; !done; ++failures) {
    bool is_bad_alloc = false;
    allocations_left = failures;
    try {
      done = ss::load(std::as_bytes(std::span(bytes))).size() == 20;
    } catch (const std::bad_alloc&) {
      is_bad_alloc = true;
    } catch (const ss::Error&) {
    }
    allocations_left = -1;
    REQUIRE((done || is_bad_alloc));
  }
  CHECK(failures > 20);
  CHECK(live == before);
}
