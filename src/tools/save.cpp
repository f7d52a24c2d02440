#include <safestructures/tools/save.hpp>

#include <array>
#include <cstdint>
#include <utility>

#include <safestructures/data/error.hpp>
#include <safestructures/formats/checksums.hpp>
#include "platform/memory.hpp"
#include "tools/with_file.hpp"

namespace safestructures::detail {
namespace {

constexpr std::array<std::int64_t, 1> dummy_elements = {0};

/// What a container writer needs; refers to the Value and to itself, so it stays where it is.
class Plan {
 public:
  Plan(const Encodee& object, const SaveOptions& options)
      : value_(object.is_value ? Value() : encode(object, options)),
        written_(schema::write(object.is_value ? *static_cast<const Value*>(object.object) : value_,
                               {.precision = options.precision,
                                .names = options.tensor_names,
                                .extensions = options.extensions,
                                .limits = options.limits})),
        metadata_(options.metadata) {
    for (const std::string_view key :
         {schema::metadata_key, schema::version_key, checksums::metadata_key})
      if (metadata_.contains(key))
        throw Error(ErrorCode::invalid_argument, "metadata has a key of the schema itself",
                    {.found = "'" + std::string(key) + "'", .advice = "Choose another key"});
    metadata_.emplace(schema::metadata_key, std::move(written_.text));
    metadata_.emplace(schema::version_key, schema::version);
    items_.reserve(written_.tensors.size() + options.extra_tensors.size() + 1);
    platform::advise_huge(items_.data(), items_.capacity() * sizeof(safetensors::Item));
    for (const schema::StoredTensor& stored : written_.tensors)
      items_.emplace_back(stored.name, *stored.tensor, stored.dtype);
    for (const auto& [name, tensor] : options.extra_tensors) items_.emplace_back(name, tensor);
    if (items_.empty()) {
      dummy_ = Tensor::of<std::int64_t>(dummy_elements);
      items_.emplace_back(schema::dummy_tensor, dummy_);
    }
    if (options.checksums)
      metadata_.emplace(checksums::metadata_key,
                        checksums::make(items_, metadata_, options.overflow));
    write_options_ = {.durable = options.durable,
                      .overflow = options.overflow,
                      .lossless = options.lossless,
                      .limits = options.limits};
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  [[nodiscard]] std::span<const safetensors::Item> items() const { return items_; }
  [[nodiscard]] const safetensors::Metadata& metadata() const { return metadata_; }
  [[nodiscard]] const safetensors::WriteOptions& options() const { return write_options_; }

  [[nodiscard]] SaveReport report(const safetensors::WriteReport& written) const {
    SaveReport report{.bytes = written.bytes, .conversions = {}};
    for (const safetensors::Conversion& conversion : written.conversions)
      report.conversions.push_back({std::string(items_[conversion.item].name), conversion.report});
    return report;
  }

 private:
  static Value encode(const Encodee& object, const SaveOptions& options) {
    Encoder encoder({.registry = options.registry,
                     .limits = options.limits,
                     .columns_from = options.columns_from});
    try {
      return object.encode(object.object, encoder);
    } catch (...) {
      encoder.rethrow();
    }
  }

  Value value_;
  schema::Written written_;
  Tensor dummy_;
  std::vector<safetensors::Item> items_;
  safetensors::Metadata metadata_;
  safetensors::WriteOptions write_options_;
};

void refuse_shards(const SaveOptions& options) {
  if (options.shard_size != 0)
    throw Error(ErrorCode::invalid_argument, "shards can only be written to files",
                {.advice = "Use save_file, or leave SaveOptions::shard_size at 0"});
}

}  // namespace

SaveReport save_file(const Encodee& object, const std::filesystem::path& path,
                     const SaveOptions& options) {
  try {
    const Plan plan(object, options);
    return plan.report(
        options.shard_size == 0
            ? safetensors::write_file(path, plan.items(), plan.metadata(), plan.options())
            : safetensors::write_sharded(path, plan.items(), plan.metadata(), options.shard_size,
                                         plan.options()));
  } catch (const Error& error) {
    rethrow_with_file(error, path.string());
  }
}

SaveReport save(const Encodee& object, std::ostream& out, const SaveOptions& options) {
  refuse_shards(options);
  const Plan plan(object, options);
  return plan.report(safetensors::write(out, plan.items(), plan.metadata(), plan.options()));
}

std::vector<std::byte> save(const Encodee& object, const SaveOptions& options) {
  refuse_shards(options);
  const Plan plan(object, options);
  return safetensors::to_bytes(plan.items(), plan.metadata(), plan.options());
}

}  // namespace safestructures::detail
