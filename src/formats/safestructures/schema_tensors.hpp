/// \file
/// The tensors of a schema that is written, each under a name of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/same_view.hpp"
#include "formats/safestructures/schema_ahead.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::schema {

/// Adds tensors to what is written. What it is given must live as long as it is used.
class SchemaTensors {
 public:
  SchemaTensors(Written& written, const Ahead& ahead, const SaveOptions& options)
      : written_(written), ahead_(ahead), options_(options) {}

  /// Enters a tensor under a name of its own and returns that name.
  /// \param place where it is, with dots, which is the name of one that has none
  /// \throws Error `limit_exceeded` beyond Limits::tensors
  std::string_view enter(const Value& value, DType stored, const std::string& place,
                         const Trace* trace) {
    const Tensor& tensor = value.tensor();
    tensors_.emplace_back(std::string_view(), tensor, stored);
    std::string_view& name = tensors_.back().name;
    name = without_surrogates(name_of(value, place));
    if (!ahead_.distinct) {
      if (const auto known = enter_last()) {
        const safetensors::Item& other = tensors_[*known];
        if (!value.tensor_name().empty() && detail::same_view(*other.tensor, tensor)) {
          tensors_.pop_back();
          return other.name;
        }
        rename_last();
      } else if (ahead_.is_taken(name) || (value.is_plain() && name == dummy_tensor)) {
        rename_last();
      }
    }
    const std::uint64_t most =
        std::min(options_.limits.tensors, safetensors::detail::NameIndex::largest);
    if (tensors_.size() > most)
      throw detail::past(detail::Limit::tensors, most, {.path = to_string(trace)});
    return name;
  }

 private:
  using NameIndex = safetensors::detail::NameIndex;

  /// Gives the last tensor a name that nothing has.
  void rename_last() {
    std::string_view& name = tensors_.back().name;
    const std::string taken(name);
    std::size_t& count = next_.try_emplace(taken, 1).first->second;
    do name = written_.keep(taken + "#" + std::to_string(++count));
    while (enter_last() || ahead_.is_taken(name));
  }

  /// Valid as long as the value and what is written.
  std::string_view name_of(const Value& value, const std::string& place) {
    if (!value.tensor_name().empty()) return value.tensor_name();
    if (options_.tensor_names == TensorNames::numbers)
      return written_.keep(std::to_string(tensors_.size() - 1));
    return place.empty() ? "tensor" : written_.keep(place);
  }

  /// Strings may hold halves of surrogate pairs (docs/format.md); names in the container may not.
  std::string_view without_surrogates(std::string_view name) {
    constexpr char lead = '\xED';  // Of U+D000 to U+DFFF, of which the second byte tells.
    const auto is_half = [](std::string_view text, std::size_t at) {
      return at + 2 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0 &&
             (static_cast<unsigned char>(text[at + 2]) & 0xC0U) == 0x80;
    };
    std::size_t at = name.find(lead);
    while (at != std::string_view::npos && !is_half(name, at)) at = name.find(lead, at + 1);
    if (at == std::string_view::npos) return name;
    std::string replaced(name);
    for (; at != std::string::npos; at = replaced.find(lead, at + 1))
      if (is_half(replaced, at)) replaced.replace(at, 3, "\xEF\xBF\xBD");
    return written_.keep(replaced);
  }

  auto name_at() const {
    return [this](std::size_t i) -> std::string_view { return tensors_[i].name; };
  }

  /// Enters the name of the last tensor, or returns the position of the tensor that has it.
  std::optional<std::size_t> enter_last() {
    const std::size_t last = tensors_.size() - 1;
    if (last >= indexed_) {
      indexed_ = std::max(2 * indexed_, ahead_.tensors + 1);
      by_name_ = NameIndex(indexed_);
      static_cast<void>(by_name_.insert(0, last, name_at()));
    }
    const auto twice = by_name_.insert(last, last + 1, name_at());
    return twice ? std::optional(twice->second) : std::nullopt;
  }

  Written& written_;
  std::vector<safetensors::Item>& tensors_ = written_.tensors;
  const Ahead& ahead_;
  const SaveOptions& options_;
  NameIndex by_name_{0};
  std::size_t indexed_ = 0;  // How many names by_name_ has room for.
  // The last suffix tried for a name.
  std::unordered_map<std::string, std::size_t, detail::KeyedHash> next_;
};

}  // namespace safestructures::inline v0::schema
