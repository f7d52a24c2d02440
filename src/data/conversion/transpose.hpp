/// \file
/// Copies a plane of elements into rows in a cache-friendly order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace safestructures::inline v0::detail {

/// The bytes of a cache line.
inline constexpr std::size_t cache_line = 64;

template <class T>
T load(const std::byte* source) noexcept {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* target, T value) noexcept {
  std::memcpy(target, &value, sizeof(T));
}

/// Copies rows that are consecutive in the source.
template <class T>
void copy_rows(std::uint64_t rows, std::uint64_t columns, const std::byte* source,
               std::int64_t row_stride, std::byte* target, std::size_t target_stride) {
  for (std::uint64_t row = 0;;) {
    if (columns * sizeof(T) < cache_line) {
      // A call of memcpy would cost more than the copying itself.
      for (std::uint64_t i = 0; i < columns; ++i) {
        store(target + i * sizeof(T), load<T>(source + i * sizeof(T)));
      }
    } else {
      std::memcpy(target, source, columns * sizeof(T));
    }
    if (++row == rows) return;
    source += row_stride;
    target += target_stride;
  }
}

/// Copies any plane in tiles of a few cache lines, so that elements sharing a line are copied
/// together.
template <class T>
void copy_strided(std::uint64_t rows, std::uint64_t columns, const std::byte* source,
                  std::int64_t row_stride, std::int64_t column_stride, std::byte* target,
                  std::size_t target_stride) {
  constexpr std::uint64_t side = 64;
  const auto at = [&](std::uint64_t row, std::uint64_t column) {
    return source + static_cast<std::int64_t>(row) * row_stride +
           static_cast<std::int64_t>(column) * column_stride;
  };
  for (std::uint64_t top = 0; top < rows; top += side) {
    const std::uint64_t bottom = std::min(rows, top + side);
    for (std::uint64_t left = 0; left < columns; left += side) {
      const std::uint64_t right = std::min(columns, left + side);
      for (std::uint64_t row = top; row < bottom; ++row) {
        std::byte* out = target + row * target_stride;
        for (std::uint64_t i = left; i < right; ++i) {
          store(out + i * sizeof(T), load<T>(at(row, i)));
        }
      }
    }
  }
}

/// A square of `side` x `side` elements, each of whose rows and columns is a cache line.
template <class T>
struct Tile {
  static constexpr std::size_t side = cache_line / sizeof(T);
  static constexpr std::size_t lanes = 16 / sizeof(T);

#if defined(__GNUC__)
  struct Vector {
    T values __attribute__((vector_size(16)));
  };

  template <std::size_t Offset, std::size_t... I>
  static Vector interleave(const Vector& a, const Vector& b, std::index_sequence<I...>) noexcept {
    return {__builtin_shufflevector(a.values, b.values,
                                    (Offset + I / 2 + (I % 2 == 0 ? 0 : lanes))...)};
  }

  // Columns at `source`, `stride` bytes apart, become rows at `target`, `side` elements apart.
  // Interleaving the halves of a list of vectors, log2(lanes) times, transposes it.
  static void transpose_lanes(const std::byte* source, std::int64_t stride,
                              std::byte* target) noexcept {
    constexpr auto sequence = std::make_index_sequence<lanes>();
    std::array<Vector, lanes> columns;
    for (std::size_t i = 0; i < lanes; ++i) {
      columns[i] = load<Vector>(source + static_cast<std::int64_t>(i) * stride);
    }
    for (std::size_t width = 1; width < lanes; width *= 2) {
      std::array<Vector, lanes> next;
      for (std::size_t i = 0; i < lanes / 2; ++i) {
        next[2 * i] = interleave<0>(columns[i], columns[i + lanes / 2], sequence);
        next[2 * i + 1] = interleave<lanes / 2>(columns[i], columns[i + lanes / 2], sequence);
      }
      columns = next;
    }
    for (std::size_t i = 0; i < lanes; ++i) store(target + i * cache_line, columns[i]);
  }
#else
  static void transpose_lanes(const std::byte* source, std::int64_t stride,
                              std::byte* target) noexcept {
    for (std::size_t row = 0; row < lanes; ++row) {
      for (std::size_t i = 0; i < lanes; ++i) {
        store(target + row * cache_line + i * sizeof(T),
              load<T>(source + static_cast<std::int64_t>(i) * stride + row * sizeof(T)));
      }
    }
  }
#endif

  // Uses a small buffer, so that each line of the source is read, and each line of the target
  // written, once and as a whole: with power-of-two strides they all compete for the same few cache
  // ways.
  using Buffer = std::array<std::byte, side * cache_line>;
  static void transpose(const std::byte* source, std::int64_t stride, Buffer& buffer) noexcept {
    for (std::size_t left = 0; left < side; left += lanes) {
      const std::byte* columns = source + static_cast<std::int64_t>(left) * stride;
      for (std::size_t top = 0; top < side; top += lanes) {
        transpose_lanes(columns + top * sizeof(T), stride,
                        buffer.data() + top * cache_line + left * sizeof(T));
      }
    }
  }

  // Hardware cannot predict strides of a page or more.
  static void prefetch([[maybe_unused]] const std::byte* source,
                       [[maybe_unused]] std::int64_t stride) noexcept {
#if defined(__GNUC__)
    for (std::size_t i = 0; i < side; ++i) {
      __builtin_prefetch(source + static_cast<std::int64_t>(i) * stride);
    }
#endif
  }
};

/// A plane whose columns are consecutive in the source: element (row, column) is at
/// `source + row * sizeof(T) + column * column_stride`.
struct Columns {
  const std::byte* source;
  std::uint64_t rows;
  std::uint64_t columns;
  std::int64_t column_stride;
};

/// Rows `begin` to `end` of a plane, except the first `head` elements of the first row, and those
/// from element `tail` on of the last row.
struct Rows {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t head;
  std::uint64_t tail;
};

/// Copies a part of a plane. Its first element goes to `target`; rows are `target_stride` bytes
/// apart.
///
/// Squares are always transposed whole, even if only some of their rows are needed or they overlap
/// the previous one, so that blocks of any length and matrices of any size are fast.
template <class T>
void transpose(const Columns& plane, const Rows& part, std::byte* target,
               std::size_t target_stride) {
  constexpr std::uint64_t side = Tile<T>::side;
  const auto place = [&](std::uint64_t row, std::uint64_t column) {
    return target +
           ((row - part.begin) * target_stride + column * sizeof(T) - part.head * sizeof(T));
  };
  const auto address = [&](std::uint64_t row, std::uint64_t column) {
    return plane.source + static_cast<std::int64_t>(column) * plane.column_stride +
           static_cast<std::int64_t>(row * sizeof(T));
  };
  // Clips columns [left, right) of a row to the part.
  const auto clip = [&](std::uint64_t row, std::uint64_t& left, std::uint64_t& right) {
    if (row == part.begin) left = std::max(left, part.head);
    if (row + 1 == part.end) right = std::min(right, part.tail);
    return left < right;
  };

  if (plane.rows < side || plane.columns < side) {
    for (std::uint64_t first = 0; first < plane.columns; first += side) {
      for (std::uint64_t row = part.begin; row < part.end; ++row) {
        std::uint64_t left = first;
        std::uint64_t right = std::min(plane.columns, first + side);
        if (!clip(row, left, right)) continue;
        std::byte* out = place(row, left);
        for (std::uint64_t i = left; i < right; ++i, out += sizeof(T)) {
          store(out, load<T>(address(row, i)));
        }
      }
    }
    return;
  }

  const std::uint64_t last_top = plane.rows - side;
  // Align squares to cache lines of the source, if columns are whole lines apart.
  const std::uint64_t shift =
      reinterpret_cast<std::uintptr_t>(plane.source) % cache_line / sizeof(T);
  // Several squares below each other in the same columns: consecutive lines in memory, and one
  // address translation for all of them.
  constexpr std::uint64_t panel = 8 * side;
  alignas(cache_line) typename Tile<T>::Buffer buffer;
  for (std::uint64_t top = part.begin; top < part.end;) {
    const std::uint64_t bottom = std::min(part.end, (top + shift) / panel * panel + panel - shift);
    for (std::uint64_t first = 0; first < plane.columns; first += side) {
      const std::uint64_t corner = std::min(first, plane.columns - side);
      for (std::uint64_t row = top; row < bottom;) {
        const std::uint64_t over = (row + shift) % side;
        const std::uint64_t next = std::min(bottom, row + side - over);
        const std::uint64_t begin = std::min(row - std::min(row, over), last_top);
        Tile<T>::prefetch(address(begin, corner + side), plane.column_stride);
        Tile<T>::transpose(address(begin, corner), plane.column_stride, buffer);
        const bool whole = (row != part.begin || part.head == 0) &&
                           (next != part.end || part.tail == plane.columns);
        for (; row < next; ++row) {
          const std::byte* line = buffer.data() + (row - begin) * cache_line;
          if (whole) {
            std::memcpy(place(row, corner), line, cache_line);
            continue;
          }
          std::uint64_t left = corner;
          std::uint64_t right = corner + side;
          if (!clip(row, left, right)) continue;
          std::memcpy(place(row, left), line + (left - corner) * sizeof(T),
                      static_cast<std::size_t>(right - left) * sizeof(T));
        }
      }
    }
    top = bottom;
  }
}

}  // namespace safestructures::inline v0::detail
