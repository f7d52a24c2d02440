#include <safestructures/tools/verify.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <safestructures/data/attributes.hpp>
#include <safestructures/data/decoder.hpp>
#include <safestructures/data/dtype.hpp>
#include <safestructures/data/error.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/data/walk.hpp>
#include <safestructures/formats/gzip.hpp>
#include <safestructures/tools/document.hpp>
#include "data/deferred.hpp"
#include "tools/load_advice.hpp"

namespace safestructures::inline v0 {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20U;

/// A tensor of a file, and its name in errors.
struct Named {
  std::string name;
  Tensor tensor;

  [[nodiscard]] const detail::DeferredBytes* deferred() const noexcept {
    return detail::DeferredBytes::of(tensor);
  }
};

/// Returns each tensor once, however often the structure refers to it, in the order of the file:
/// reading a disk out of order takes several times as long.
std::vector<Named> tensors_of(const Document& document) {
  std::vector<Named> tensors;
  std::set<std::string> known;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (known.insert(name).second) tensors.push_back({name, tensor});
  };
  walk(document.root(), [&](const Place& place) {
    const Value& value = place.value();
    if (!value.has_tensor()) return Next::into;
    add(value.tensor_name().empty() ? place.path().to_string() : value.tensor_name(),
        value.tensor());
    return Next::into;  // Its attributes.
  });
  for (const auto& [name, tensor] : document.content().extra_tensors) add(name, tensor);
  std::ranges::stable_sort(tensors, {}, [](const Named& one) {
    const detail::DeferredBytes* deferred = one.deferred();
    return deferred == nullptr ? std::pair(std::string(), std::uint64_t{0})
                               : std::pair(deferred->source().name(), deferred->offset());
  });
  return tensors;
}

void check_bools(const Named& one, std::span<const std::byte> bytes, std::uint64_t first) {
  const auto wrong =
      std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; });
  if (wrong == bytes.end()) return;
  const detail::DeferredBytes* deferred = one.deferred();
  ErrorDetails details{.path = one.name,
                       .expected = "byte 0 or 1",
                       .found = "byte " + std::to_string(std::to_integer<int>(*wrong))};
  const auto place = first + static_cast<std::uint64_t>(wrong - bytes.begin());
  if (deferred != nullptr) {
    details.file = deferred->source().name();
    details.offset = deferred->offset() + place;
  } else {
    details.found += " at element " + std::to_string(place);
  }
  throw Error(ErrorCode::out_of_range, "a bool is neither true nor false", std::move(details));
}

/// Reads every byte of a tensor without keeping it.
class TensorReader {
 public:
  TensorReader(std::uint64_t all, const VerifyOptions& options) : all_(all), options_(options) {}

  void read(const Named& given) {
    // A format may return a view of memory in another order.
    const Named one{given.name, given.tensor.contiguous()};
    const std::uint64_t size = one.tensor.byte_size();
    for (std::uint64_t done = 0; done < size;) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, size - done));
      const std::span<const std::byte> bytes = block(one, done, count);
      if (one.tensor.dtype() == DType::BOOL) check_bools(one, bytes, done);
      done += count;
      if (options_.progress) options_.progress(count, all_);
    }
  }

 private:
  std::span<const std::byte> block(const Named& one, std::uint64_t offset, std::size_t count) {
    const detail::DeferredBytes* deferred = one.deferred();
    if (deferred == nullptr)
      return one.tensor.bytes().subspan(static_cast<std::size_t>(offset), count);
    block_.resize(std::max(block_.size(), count));
    const std::span<std::byte> room = std::span(block_).first(count);
    deferred->read(offset, room);
    return room;
  }

  std::uint64_t all_;
  const VerifyOptions& options_;
  std::vector<std::byte> block_;
};

/// Throws unless tensors that are stored in another dtype can be converted back to theirs.
void check_original_dtypes(const Document& document) {
  std::set<std::pair<std::string, std::string>> checked;
  walk(document.root(), [&](const Place& place) {
    const Value& value = place.value();
    const Value* original = value.attribute(attributes::dtype);
    if (value.kind() != Kind::tensor || original == nullptr) return Next::into;
    if (!checked.emplace(value.tensor_name(), describe(*original)).second) return Next::into;
    try {
      static_cast<void>(restored_tensor(value));
    } catch (const Error& error) {
      throw error.with_path(value.tensor_name());
    }
    return Next::into;
  });
}

VerifyReport verify(const std::shared_ptr<const Source>& given, const VerifyOptions& options) {
  LoadOptions load = {.format = options.format, .access = Access::read, .limits = options.limits};
  const std::shared_ptr<const Source> source = gzip::unpacked(given, load);
  const Document document = Document::open(source, load);
  const Content& content = document.content();
  TensorReader reader(content.tensor_bytes, options);
  for (const Named& one : tensors_of(document)) reader.read(one);
  check_original_dtypes(document);
  if (content.has_checksums) {
    load.verify_checksums = true;
    static_cast<void>(Document::open(source, load));
  }
  return {content.tensor_count, content.tensor_bytes, content.has_checksums};
}

}  // namespace

VerifyReport verify_file(const std::filesystem::path& path, const VerifyOptions& options) {
  return verify_file(detail::open_file(path), options);
}

VerifyReport verify_file(const std::shared_ptr<const Source>& source,
                         const VerifyOptions& options) {
  try {
    return verify(source, options);
  } catch (const Error& error) {
    throw error.with_file(source->name());
  }
}

}  // namespace safestructures::inline v0
