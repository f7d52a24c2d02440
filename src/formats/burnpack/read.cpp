#include "formats/burnpack/read.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <safestructures/data/error.hpp>
#include <safestructures/data/tensor.hpp>
#include "data/limit.hpp"
#include "data/text/printable.hpp"
#include "formats/binary/little_endian.hpp"
#include "formats/burn/param_id.hpp"
#include "formats/burnpack/description.hpp"
#include "formats/burnpack/words.hpp"
#include "formats/refuse_checksums.hpp"
#include "formats/structure_of_names.hpp"
#include "platform/memory.hpp"

namespace safestructures::inline v0::burnpack {

using detail::for_message;
namespace {

[[noreturn]] void fail_truncated(std::string problem, std::uint64_t expected, std::uint64_t found,
                                 std::string_view more_advice = {}) {
  throw Error(
      ErrorCode::truncated, std::move(problem),
      {.expected = std::to_string(expected) + " bytes",
       .found = std::to_string(found),
       .advice = "The file is not complete: copy or download it again" + std::string(more_advice)});
}

/// Checks the header. \returns the size of the description
std::uint64_t read_header(const Source& source, const Limits& limits) {
  if (source.size() < header_size)
    fail_truncated("the file ends inside the header of burnpack", header_size, source.size());
  std::array<std::byte, header_size> header;
  source.read(0, header);
  const auto number = [&](std::size_t first, std::size_t count) {
    return binary::little_endian(std::span(header).subspan(first, count));
  };
  if (!std::ranges::equal(std::span(header).first(magic.size()), std::as_bytes(std::span(magic))))
    throw Error(ErrorCode::invalid_header, "the file is not a burnpack file",
                {.expected = "NRUB as the first bytes", .offset = 0});
  if (const std::uint64_t found = number(4, 2); found != version)
    throw Error(ErrorCode::unsupported_version, "the file has an unknown version of burnpack",
                {.expected = std::to_string(version),
                 .found = std::to_string(found),
                 .advice = "Read it with a newer safestructures, or save it with an older Burn",
                 .offset = 4});
  const std::uint64_t size = number(6, 4);
  if (size > limits.header_bytes)
    throw detail::past(detail::Limit::header_bytes, limits.header_bytes,
                       {.found = std::to_string(size), .offset = 6});
  if (size > source.size() - header_size)
    fail_truncated("the file ends inside its description", header_size + size, source.size());
  return size;
}

/// The tensors in the order of their positions in the file, and the beginning of their data.
struct Layout {
  std::vector<std::size_t> order;
  std::uint64_t data_begin = 0;
  std::uint64_t data_size = 0;  ///< To the end of the last tensor that has bytes.
};

/// Distinguishes the layout of 0.19, which has no padding at all, from the later one. Both are
/// version 1.
class LayoutFinder {
 public:
  LayoutFinder(const Description& description, const Source& source, std::uint64_t packed_begin)
      : tensors_(description.tensors),
        metadata_(description.metadata),
        source_(source),
        packed_begin_(packed_begin) {}

  Layout find() {
    sort();
    const std::uint64_t size = source_.size();
    bool is_aligned = true;
    std::uint64_t last = 0;  // The end of all tensors, including empty ones.
    for (const TensorEntry& entry : tensors_) {
      is_aligned &= entry.begin % alignment == 0;
      last = std::max(last, entry.end);
      if (entry.end > entry.begin) layout_.data_size = std::max(layout_.data_size, entry.end);
    }
    const auto fits = [&](std::uint64_t begin) {
      return size >= begin && (size - begin == layout_.data_size || size - begin == last);
    };
    const std::uint64_t aligned_begin = aligned(packed_begin_);
    // If no tensor has bytes, nothing is lost with the padding.
    const bool is_packed =
        fits(packed_begin_) &&
        (!is_aligned || (!fits(aligned_begin) && (layout_.data_size == 0 || is_of_0_19())));
    layout_.data_begin = is_packed || !is_aligned ? packed_begin_ : aligned_begin;
    if (!fits(layout_.data_begin)) fail_size(size, fits(packed_begin_));
    check_places(is_aligned && !is_packed);
    return std::move(layout_);
  }

 private:
  void sort() {
    layout_.order.resize(tensors_.size());
    std::iota(layout_.order.begin(), layout_.order.end(), std::size_t{0});
    std::ranges::sort(layout_.order, [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t i) {
        return std::tuple(tensors_[i].begin, tensors_[i].end, i);
      };
      return key(a) < key(b);
    });
  }

  /// Whether the file is one of 0.19. A file of the later layout that lost exactly as many bytes as
  /// its padding has the size of one of 0.19, if its tensors begin where both layouts would have
  /// them.
  [[nodiscard]] bool is_of_0_19() const {
    if (const auto found = metadata_.find("version"); found != metadata_.end())
      return found->second.starts_with("0.19.");
    const auto count =
        static_cast<std::size_t>(std::min(aligned(packed_begin_), source_.size()) - packed_begin_);
    const SharedBytes padding = source_.view(packed_begin_, count);
    return std::ranges::any_of(padding.bytes, [](std::byte byte) { return byte != std::byte{0}; });
  }

  /// \param fits_packed whether a whole file of 0.19 would have this size
  [[noreturn]] void fail_size(std::uint64_t size, bool fits_packed) const {
    const std::uint64_t end = layout_.data_size > UINT64_MAX - layout_.data_begin
                                  ? UINT64_MAX
                                  : layout_.data_begin + layout_.data_size;
    // 0.22 writes no version, so one of its files may consist of exactly these bytes when it is cut
    // short.
    const bool may_be_whole = fits_packed && !metadata_.contains("version");
    if (size < end)
      fail_truncated("the file ends before its tensors do", end, size,
                     may_be_whole ? ". If Burn 0.19 wrote it, it may be complete: save it again "
                                    "with a 'version' in its metadata"
                                  : "");
    throw Error(
        ErrorCode::invalid_offsets, "there are bytes after the last tensor",
        {.expected = std::to_string(end) + " bytes", .found = std::to_string(size), .offset = end});
  }

  /// Checks that tensors follow each other with nothing but the padding between them.
  void check_places(bool is_padded) const {
    std::uint64_t expected = 0;
    for (const std::size_t index : layout_.order) {
      const TensorEntry& entry = tensors_[index];
      if (is_padded) expected = aligned(expected);
      if (entry.begin != expected)
        throw Error(
            ErrorCode::invalid_offsets,
            entry.begin < expected ? "the tensor overlaps the one before it"
                                   : "there is a gap before the tensor",
            {.path = for_message(entry.name),
             .expected = "a tensor that begins at " + std::to_string(expected),
             .found = "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]"});
      expected = entry.end;
    }
  }

  const std::vector<TensorEntry>& tensors_;
  const Metadata& metadata_;
  const Source& source_;
  std::uint64_t packed_begin_;
  Layout layout_;
};

/// Creates the tensors as values.
class Tensors {
 public:
  Tensors(std::shared_ptr<const Source> source, const Layout& layout, Access access)
      : source_(std::move(source)), begin_(layout.data_begin) {
    const auto size = static_cast<std::size_t>(layout.data_size);
    if (size == 0) return;
    if (access == Access::map || source_->is_in_memory()) {
      view_ = source_->view(begin_, size);
    } else if (access == Access::memory) {
      const std::shared_ptr<std::byte> memory = platform::allocate_buffer(size);
      source_->read(begin_, {memory.get(), size});
      view_ = {{memory.get(), size}, memory};
      source_ = Source::of(view_.bytes, view_.owner);
      begin_ = 0;
    }
  }

  [[nodiscard]] Value value(const TensorEntry& entry) const {
    Value value = make(entry);
    if (entry.param_id) value.set_attribute(id_attribute, burn::param_id_text(*entry.param_id));
    return value;
  }

 private:
  [[nodiscard]] Value make(const TensorEntry& entry) const {
    if (entry.storage == Storage::quantized) return quantized(entry);
    const std::uint64_t count = entry.end - entry.begin;
    Value value(entry.storage == Storage::words && count > 0
                    ? Tensor::deferred(DType::BOOL, entry.shape,
                                       std::make_shared<const WordsSource>(
                                           source_, begin_ + entry.begin, count / 4),
                                       0, for_message(entry.name))
                    : tensor(entry, entry.dtype, entry.shape));
    value.set_tensor_name(entry.name);
    return value;
  }

  [[nodiscard]] Value quantized(const TensorEntry& entry) const {
    std::vector<Value> shape(entry.shape.begin(), entry.shape.end());
    Value data = Value::bytes(tensor(entry, DType::U8, Shape{entry.end - entry.begin}));
    data.set_tensor_name(entry.name);
    Value payload = Value::dict();
    payload.insert(dtype_key, entry.quantization);
    payload.insert(shape_key, Value::list(std::move(shape)));
    payload.insert(quantized_data, std::move(data));
    return Value::custom(std::string(quantized_type), std::move(payload));
  }

  [[nodiscard]] Tensor tensor(const TensorEntry& entry, DType dtype, const Shape& shape) const {
    if (entry.begin == entry.end) return Tensor::share(dtype, shape, {}, nullptr);
    if (view_.bytes.data() != nullptr) {
      const std::span<const std::byte> bytes = view_.bytes.subspan(
          static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin));
      // In the layout of 0.19, elements may be unaligned. They are then copied when they are used.
      if (reinterpret_cast<std::uintptr_t>(bytes.data()) % safestructures::alignment(dtype) == 0)
        return Tensor::share(dtype, shape, bytes, view_.owner);
    }
    return Tensor::deferred(dtype, shape, source_, begin_ + entry.begin, for_message(entry.name));
  }

  std::shared_ptr<const Source> source_;
  std::uint64_t begin_;  // The offset of the data in it.
  SharedBytes view_;     // The data, if it is in memory or mapped.
};

}  // namespace

Content read(const std::shared_ptr<const Source>& source, const LoadOptions& options) {
  detail::refuse_checksums(options);
  const std::uint64_t size = read_header(*source, options.limits);
  std::vector<std::byte> cbor(static_cast<std::size_t>(size));
  source->read(header_size, cbor);
  Description description = read_description(cbor, options.limits);
  const Layout layout = LayoutFinder(description, *source, header_size + size).find();
  const Tensors tensors(source, layout, options.access);

  Content content;
  content.has_schema = false;
  content.description = "none: a burnpack file";
  content.metadata = std::move(description.metadata);
  content.tensor_count = description.tensors.size();
  for (const TensorEntry& entry : description.tensors)
    content.tensor_bytes += entry.end - entry.begin;
  if (!source->name().empty()) content.files.emplace_back(source->name());
  const std::size_t count = layout.order.size();
  content.root = structure_of_names(
      {.count = count + description.scalars.size(),
       .name =
           [&](std::size_t index) {
             return std::string_view(index < count ? description.tensors[layout.order[index]].name
                                                   : description.scalars[index - count].first);
           },
       .value =
           [&](std::size_t index) {
             return index < count ? tensors.value(description.tensors[layout.order[index]])
                                  : description.scalars[index - count].second;
           }},
      options.limits);
  return content;
}

}  // namespace safestructures::inline v0::burnpack
