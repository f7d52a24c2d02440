/// \file
/// The tensors of a schema being written, each under a unique name.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <safestructures/data/dtype.hpp>
#include <safestructures/data/path.hpp>
#include <safestructures/data/value.hpp>
#include <safestructures/formats/options.hpp>
#include <safestructures/formats/safestructures/schema.hpp>
#include "data/keyed_hash.hpp"
#include "data/limit.hpp"
#include "data/same_view.hpp"
#include "formats/safestructures/schema_ahead.hpp"
#include "formats/safestructures/schema_inside.hpp"
#include "formats/safestructures/schema_names.hpp"
#include "formats/safetensors/table.hpp"

namespace safestructures::inline v0::schema {

/// Adds tensors to what is written. Its arguments must outlive it.
class SchemaTensors {
 public:
  SchemaTensors(Written& written, ItemBlock& tensors, const Ahead& ahead,
                const SaveOptions& options)
      : written_(written), tensors_(tensors), ahead_(ahead), options_(options) {}

  /// Enters a tensor and returns the name under which it is stored.
  /// \param trace the place of the tensor, whose dotted form is its name if it has none
  /// \throws Error `limit_exceeded` beyond Limits::tensors
  std::string_view enter(const Value& value, DType stored, const Trace* trace) {
    const Tensor& tensor = value.tensor();
    tensors_.emplace_back(std::string_view(), tensor, stored);
    std::string_view& name = tensors_.back().name;
    name = without_surrogates(name_of(value, trace));
    if (!ahead_.distinct) {
      if (const auto known = enter_last()) {
        const safetensors::Item& other = tensors_[*known];
        if (!value.tensor_name().empty() && detail::same_view(*other.tensor, tensor)) {
          written_.repeated += byte_size(other.dtype, tensor.shape());
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

  /// Gives the last tensor a name that nothing else has.
  void rename_last() {
    std::string_view& name = tensors_.back().name;
    const std::string taken(name);
    std::size_t& count = next_.try_emplace(taken, 1).first->second;
    do name = written_.keep(taken + "#" + std::to_string(++count));
    while (ahead_.is_taken(name) || options_.extra_tensors.contains(name) || enter_last());
  }

  /// Returns the tensor's name before it is made distinct; valid as long as the value and what is
  /// written.
  std::string_view name_of(const Value& value, const Trace* trace) {
    if (!value.tensor_name().empty()) return value.tensor_name();
    if (options_.tensor_names == TensorNames::numbers)
      return written_.keep(std::to_string(tensors_.size() - 1));
    const std::string_view place = spell_place(trace);
    return place.empty() ? "tensor" : written_.keep(place);
  }

  /// Returns the steps with dots between them, without leading dots. Written from its end
  /// backwards.
  std::string_view spell_place(const Trace* trace) {
    std::size_t at = place_.size();
    std::size_t length = 0;
    const auto put = [&](std::string_view text) {
      if (text.size() > at) {
        const std::size_t more = place_.size() + text.size();
        place_.insert(0, more, '.');
        at += more;
      }
      at -= text.size();
      text.copy(place_.data() + at, text.size());
    };
    for (const Trace* step = trace; step != nullptr; step = step->parent) {
      if (step != trace) put(".");
      if (step->index == Trace::npos) {
        put(step->name);
        if (step->name.empty()) continue;
      } else {
        std::array<char, std::numeric_limits<std::size_t>::digits10 + 1> digits;
        const char* const end = std::to_chars(digits.data(), std::end(digits), step->index).ptr;
        put({digits.data(), end});
      }
      length = place_.size() - at;
    }
    return std::string_view(place_).substr(place_.size() - length);
  }

  /// Returns the name with lone surrogates replaced: strings may hold them (docs/format.md), names
  /// in the container may not.
  std::string_view without_surrogates(std::string_view name) {
    constexpr char lead = '\xED';  // Of U+D000 to U+DFFF, which the second byte tells apart.
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

  /// Enters the name of the last tensor, or returns the position of the tensor that already has it.
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
  std::string place_;  // Its end is the last place spelled.
  ItemBlock& tensors_;
  const Ahead& ahead_;
  const SaveOptions& options_;
  NameIndex by_name_{0};
  std::size_t indexed_ = 0;  // The number of names that by_name_ has room for.
  // The last suffix tried for a name.
  std::unordered_map<std::string, std::size_t, detail::KeyedHash> next_;
};

}  // namespace safestructures::inline v0::schema
