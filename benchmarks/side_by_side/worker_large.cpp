// W1, W2, W5, W6, W8, W9, W10: large tensors.
#include <cstring>
#include <span>
#include <vector>

#include <safestructures/safestructures.hpp>
#include "data.hpp"
#include "worker.hpp"

namespace bench {

struct OneView {
  ss::Tensor weight;
};
struct Halves {
  std::vector<ss::half> weight;
};
struct BFloats {
  std::vector<ss::bfloat16> weight;
};
struct Doubles {
  std::vector<double> weight;
};
namespace {

constexpr std::size_t floats_of_a_gib = gib / sizeof(float);

OneTensor one_tensor(std::size_t count) { return {numbers<float>(count)}; }

void save_one(const Path& file) { save(one_tensor(8), one_tensor(floats_of_a_gib), file, gib); }
void save_one_durable(const Path& file) {
  save(one_tensor(8), one_tensor(floats_of_a_gib), file, gib, {.durable = true});
}

void load_one(const Path& file, ss::Access access) {
  load(one_tensor(8), file, gib, {.access = access},
       [](const OneTensor& loaded) { return are_numbers(loaded.weight, floats_of_a_gib); });
}
void load_one_vector(const Path& file) { load_one(file, ss::Access::map); }
void load_one_vector_by_read(const Path& file) { load_one(file, ss::Access::read); }

void load_one_tensor(const Path& file) {
  const OneTensor small = one_tensor(8);
  load(OneView{ss::Tensor::of<float>(small.weight)}, file, gib, {.access = ss::Access::memory},
       [](const OneView& loaded) {
         return are_numbers(loaded.weight.data<float>(), floats_of_a_gib);
       });
}

void open_one(const Path& file) { open(one_tensor(8), file); }

unsigned touch_pages(const ss::Document& document) {
  unsigned sum = 0;
  const ss::Tensor tensor = document.at("/weight").tensor();
  const std::span<const std::byte> bytes = tensor.bytes();
  for (std::size_t i = 0; i < bytes.size(); i += 4 * kib) sum += static_cast<unsigned>(bytes[i]);
  return sum;
}
void touch_one(const Path& file) {
  // Once before: the lines that are touched are then in the processor's cache, for all who are
  // compared, and what is measured is the mapping.
  keep(touch_pages(ss::open(file)));
  std::optional<ss::Document> document;
  measure(mib, [&] {
    document.emplace(ss::open(file));
    keep(touch_pages(*document));
  });
}

void save_blocks(const Path& file) { save(blocks(2, 8), blocks(1000, mib / 4), file, 1000 * mib); }
void save_blocks_durable(const Path& file) {
  save(blocks(2, 8), blocks(1000, mib / 4), file, 1000 * mib, {.durable = true});
}
void load_blocks(const Path& file) {
  load(blocks(2, 8), file, 1000 * mib, {}, [](const Blocks& loaded) {
    return loaded.size() == 1000 && are_numbers(loaded.back(), mib / 4);
  });
}
void load_blocks_tensors(const Path& file) {
  const Blocks small = blocks(2, 8);
  const std::vector<ss::Tensor> views = {ss::Tensor::of<float>(small[0])};
  load(views, file, 1000 * mib, {.access = ss::Access::memory},
       [](const std::vector<ss::Tensor>& loaded) {
         return loaded.size() == 1000 && are_numbers(loaded.back().data<float>(), mib / 4);
       });
}
void open_blocks(const Path& file) { open(blocks(2, 8), file); }
void open_blocks_container(const Path& file) {
  ss::save_file(blocks(2, 8), small_file(file));
  keep(ss::safetensors::File::open(small_file(file)).size());
  std::filesystem::remove(small_file(file));
  measure(64 * mib,
          [&] { require(ss::safetensors::File::open(file).size() == 1000, "tensors missing"); });
}

void save_f16(const Path& file) {
  save(Halves{numbers<ss::half>(8)}, Halves{numbers<ss::half>(gib / 4)}, file, gib);
}
void save_bf16(const Path& file) {
  save(BFloats{numbers<ss::bfloat16>(8)}, BFloats{numbers<ss::bfloat16>(gib / 4)}, file, gib);
}
void save_f64(const Path& file) {
  save(Doubles{numbers<double>(8)}, Doubles{numbers<double>(gib / 16)}, file, gib / 4);
}

void save_to_memory(const Path&) {
  const OneTensor object = one_tensor(floats_of_a_gib);
  keep(ss::save(one_tensor(8)));
  std::vector<std::byte> bytes;
  measure(gib, [&] { bytes = ss::save(object); });
  require(bytes.size() > gib, "saved too little");
}

template <class T>
void load_from_memory(T& result) {
  const std::vector<std::byte> bytes = ss::save(one_tensor(floats_of_a_gib));
  measure(gib, [&] { result = ss::load<T>(bytes); });
}
void load_vector_from_memory(const Path&) {
  OneTensor result;
  load_from_memory(result);
  require(are_numbers(result.weight, floats_of_a_gib), "loaded something else");
}
void load_view_from_memory(const Path&) {
  const std::vector<std::byte> bytes = ss::save(one_tensor(floats_of_a_gib));
  keep(ss::load<OneView>(ss::save(one_tensor(8))));
  OneView result;
  measure(mib, [&] { result = ss::load<OneView>(bytes); });
  require(are_numbers(result.weight.data<float>(), floats_of_a_gib), "loaded something else");
}

void save_matrix(const Path& file) {
  const OneTensor object = one_tensor(floats_of_a_gib);
  save(object, object, file, gib);
  const OneView matrix{ss::Tensor::of<float>(object.weight, ss::Shape{16384, 16384})};
  ss::save_file(matrix, file);
}
void slice_columns(const Path& file, ss::Access access) {
  measure(16 * mib, [&] {
    const auto container = ss::safetensors::File::open(file, {.access = access});
    const ss::Tensor part =
        container.slice(*container.find("weight"), ss::parse_slices("[:, 1000:1100]")).contiguous();
    require(part.size() == 16384 * 100, "the slice has another size");
  });
}
void slice_columns_by_map(const Path& file) { slice_columns(file, ss::Access::map); }
void slice_columns_by_read(const Path& file) { slice_columns(file, ss::Access::read); }

constexpr Action actions[] = {
    {"W1", "save", save_one},
    {"W1", "save_durable", save_one_durable},
    {"W1", "load_vector", load_one_vector},
    {"W1", "load_vector_by_read", load_one_vector_by_read},
    {"W1", "load_tensor", load_one_tensor},
    {"W1", "open", open_one},
    {"W1", "touch", touch_one},
    {"W2", "save", save_blocks},
    {"W2", "save_durable", save_blocks_durable},
    {"W2", "load_vectors", load_blocks},
    {"W2", "load_tensors", load_blocks_tensors},
    {"W2", "open", open_blocks},
    {"W2", "open_container", open_blocks_container},
    {"W5", "save_f16", save_f16},
    {"W5", "save_bf16", save_bf16},
    {"W6", "save", save_f64},
    {"W8", "save", save_one},
    {"W9", "save", save_to_memory},
    {"W9", "load_vector", load_vector_from_memory},
    {"W9", "load_view", load_view_from_memory},
    {"W10", "prepare", save_matrix},
    {"W10", "slice_map", slice_columns_by_map},
    {"W10", "slice_read", slice_columns_by_read},
};

}  // namespace

std::span<const Action> large_actions() { return actions; }

}  // namespace bench
