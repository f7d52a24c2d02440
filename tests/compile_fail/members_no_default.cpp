// error: is loaded into a default T: give it a default constructor
#include <tuple>

#include <safestructures/codecs/codecs.hpp>

namespace ss = safestructures;

class Account {
 public:
#ifndef SHOULD_FAIL
  Account() = default;
#endif
  explicit Account(int id) : id_(id) {}

 private:
  int id_ = 0;
  friend struct ss::Rules<Account>;
};

template <>
struct ss::Rules<Account> {
  static constexpr auto members = std::tuple{ss::member("id", &Account::id_)};
};

Account load(const ss::Value& value) { return value.as<Account>(); }
