/// \file
/// An iterator for containers with an index operator.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

#include <safestructures/data/export.hpp>

namespace safestructures::inline v0::detail {

/// Iterates over the items of a container by `operator[]`. Valid as long as the container.
template <class Container, class Item>
class IndexIterator {
 public:
  using value_type = Item;
  using reference = const Item&;
  using pointer = const Item*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  IndexIterator() = default;
  IndexIterator(const Container& container, std::size_t index) noexcept
      : container_(&container), index_(index) {}

  reference operator*() const { return (*container_)[index_]; }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type by) const { return *(*this + by); }
  IndexIterator& operator++() noexcept { return *this += 1; }
  IndexIterator operator++(int) noexcept {
    const IndexIterator before = *this;
    ++*this;
    return before;
  }
  IndexIterator& operator--() noexcept { return *this -= 1; }
  IndexIterator operator--(int) noexcept {
    const IndexIterator before = *this;
    --*this;
    return before;
  }
  IndexIterator& operator+=(difference_type by) noexcept {
    index_ += static_cast<std::size_t>(by);
    return *this;
  }
  IndexIterator& operator-=(difference_type by) noexcept { return *this += -by; }

  friend IndexIterator operator+(IndexIterator it, difference_type by) noexcept { return it += by; }
  friend IndexIterator operator+(difference_type by, IndexIterator it) noexcept { return it += by; }
  friend IndexIterator operator-(IndexIterator it, difference_type by) noexcept { return it -= by; }
  friend difference_type operator-(const IndexIterator& a, const IndexIterator& b) noexcept {
    return static_cast<difference_type>(a.index_ - b.index_);
  }
  friend bool operator==(const IndexIterator&, const IndexIterator&) = default;
  friend auto operator<=>(const IndexIterator& a, const IndexIterator& b) noexcept {
    return a.index_ <=> b.index_;
  }

 private:
  const Container* container_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace safestructures::inline v0::detail
