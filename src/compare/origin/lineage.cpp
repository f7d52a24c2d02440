#include "compare/origin/lineage.hpp"

#include <algorithm>
#include <utility>

namespace safestructures::inline v0::comparing {
namespace {

std::string_view without_output(std::string_view name) {
  for (const std::string_view end : {".output", ".outputs", ".out"})
    if (name.ends_with(end) && name.size() > end.size())
      return name.substr(0, name.size() - end.size());
  return name;
}

/// Calls `found` with the first scopes that contain a record, except a layer that it is an input
/// of.
template <class Found>
void each_scope(std::string_view name, const Found& found) {
  // A name may be long, and each scope is looked up whole.
  constexpr int most = 64;
  const std::string_view layer = layer_of_input(name).value_or("");
  std::size_t dot = name.find('.');
  for (int i = 0; i < most && dot != std::string_view::npos; ++i, dot = name.find('.', dot + 1))
    if (const std::string_view scope = name.substr(0, dot); scope != layer) found(scope);
}

}  // namespace

std::optional<std::string_view> layer_of_input(std::string_view record) {
  for (const std::string_view word : {".input", ".inputs"}) {
    // A keyword after it may begin with the same word: x.input.input_ids.
    for (std::size_t at = record.rfind(word); at != std::string_view::npos && at != 0;
         at = record.rfind(word, at - 1)) {
      const std::string_view rest = record.substr(at + word.size());
      if (rest.empty() || rest.front() == '.') return record.substr(0, at);
    }
  }
  return std::nullopt;
}

LayerName::LayerName(std::string_view name)
    : layer(without_output(name)), input_of(layer_of_input(name)) {}

void Lineage::find(const RecordError& record, const LayerName& name, Origin& origin) {
  const auto inputs = name.input_of ? inputs_.end() : inputs_.find(name.layer);
  if (inputs != inputs_.end()) {
    Given worst = inputs->second.worst;
    // The last record inside the layer contains the errors of its parts.
    if (const auto begin = last_inside(name.layer, inputs->second.first)) {
      const double error = record_error(*rows_, *begin).error;
      if (error > worst.error) worst = {*begin, error};
    }
    origin.traced.input_row = worst.begin;
    origin.traced.evidence = InputEvidence::recorded;
    origin.input_error = origin.traced.beside = worst.error;
  } else if (last_shape_ != nullptr) {
    origin.traced.input_row = last_begin_;
    const bool is_alike =
        record.shape != nullptr && (last_shape_ == record.shape || *last_shape_ == *record.shape);
    origin.traced.evidence = is_alike ? InputEvidence::same_shape : InputEvidence::other_shape;
    origin.input_error = last_error_;
    origin.traced.beside = largest_;
  }
}

void Lineage::add(const RecordError& record, const LayerName& name) {
  if (name.input_of) {
    const Given given{record.begin, record.error};
    const auto [known, is_first] =
        inputs_.try_emplace(std::string(*name.input_of), Inputs{given, given.begin});
    Inputs& inputs = known->second;
    // Another call of the layer has inputs of its own.
    if (std::exchange(inputs.are_used, false)) inputs = {given, given.begin};
    else if (!is_first && given.error > inputs.worst.error) inputs.worst = given;
  } else if (const auto used = inputs_.find(name.layer); used != inputs_.end()) {
    used->second.are_used = true;
  }
  if (record.shape != nullptr) {
    // Records before all inputs are not inside anything.
    if (!inputs_.empty()) before_.push_back(record.begin);
    last_begin_ = record.begin;
    last_error_ = record.error;
    last_shape_ = record.shape;
  }
  largest_ = std::max(largest_, record.error);
}

std::optional<std::size_t> Lineage::last_inside(std::string_view layer, std::size_t since) {
  // Usually among the last few, or there is none since. If all inputs come before all outputs,
  // scanning would visit each record for each layer.
  constexpr std::size_t looked_at = 16;
  for (std::size_t i = before_.size(); i-- > 0 && before_[i] > since;) {
    if (before_.size() - i > looked_at) return last_indexed(layer, since);
    const std::string_view name = rows_->facts(before_[i]).name;
    if (name.size() > layer.size() && name[layer.size()] == '.' && name.starts_with(layer) &&
        layer_of_input(name).value_or("") != layer)
      return before_[i];
  }
  return std::nullopt;
}

std::optional<std::size_t> Lineage::last_indexed(std::string_view layer, std::size_t since) {
  for (; indexed_ < before_.size(); ++indexed_)
    each_scope(rows_->facts(before_[indexed_]).name,
               [&](std::string_view scope) { last_in_[scope] = before_[indexed_]; });
  const auto last = last_in_.find(layer);
  if (last == last_in_.end() || last->second <= since) return std::nullopt;
  return last->second;
}

}  // namespace safestructures::inline v0::comparing
