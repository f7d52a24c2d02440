// error: cannot save this type: .* aggregate\. Include <safestructures/safestructures\.hpp>.* list
// the members of a class in safestructures::Rules<T>
#include <safestructures/codecs/scalars.hpp>
#include <safestructures/codecs/structs.hpp>

class Closed {
 public:
  explicit Closed(int value) : value_(value) {}

 private:
  int value_;
};
struct Open {
  int value;
};

#ifdef SHOULD_FAIL
safestructures::Value save(const Closed& closed) { return safestructures::Value::from(closed); }
#else
safestructures::Value save(const Open& open) { return safestructures::Value::from(open); }
#endif
