// error: std::unique_ptr needs a virtual destructor in a base class
#include <memory>

#include <safestructures/codecs/memory.hpp>

struct Shape {
#ifndef SHOULD_FAIL
  virtual
#endif
      ~Shape() = default;
  virtual double area() const = 0;
};

#ifdef SHOULD_FAIL
#pragma GCC diagnostic ignored "-Wdelete-non-virtual-dtor"
#endif
std::unique_ptr<Shape> load(const safestructures::Value& value) {
  return value.as<std::unique_ptr<Shape>>();
}
