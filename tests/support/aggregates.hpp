/// \file
/// Plain structs that the tests of reflection share.
#pragma once

#include <string>
#include <vector>

namespace safestructures::test {

struct Empty {};

struct Point {
  int x;
  double y;
};

struct Outline {
  Empty nothing;
  Point point;
  std::vector<Point> points;
};

/// Neither default-constructible nor copyable nor movable, with a private member.
class Immovable {
 public:
  explicit Immovable(int value) : value_(value) {}
  Immovable(const Immovable&) = delete;
  Immovable& operator=(const Immovable&) = delete;
  ~Immovable() = default;
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

/// A struct with members of type T where miscounting shows: first and in the middle.
template <class T>
struct Around {
  T first;
  int second;
  T third;
  char fourth;
};

struct Arrays {
  float matrix[3][3];
  std::string names[2];
  int one[1];
  Point points[2];
  int last;
};

}  // namespace safestructures::test
