// error: has a const member, which cannot be loaded
#include <tuple>

#include <safestructures/codecs/codecs.hpp>

namespace ss = safestructures;

class Account {
#ifdef SHOULD_FAIL
  const int id_ = 0;
#else
  int id_ = 0;
#endif
  friend struct ss::Rules<Account>;
};

template <>
struct ss::Rules<Account> {
  static constexpr auto members = std::tuple{ss::member("id", &Account::id_)};
};

Account load(const ss::Value& value) { return value.as<Account>(); }
