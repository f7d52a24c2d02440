// error: has a member of a class that is neither T nor
#include <tuple>

#include <safestructures/codecs/codecs.hpp>

namespace ss = safestructures;

struct Other {
  int x = 0;
};
class Account {
  int id_ = 0;
  int cents_ = 0;
  friend struct ss::Rules<Account>;
};

template <>
struct ss::Rules<Account> {
#ifdef SHOULD_FAIL
  static constexpr auto members =
      std::tuple{ss::member("id", &Account::id_), ss::member("x", &Other::x)};
#else
  static constexpr auto members =
      std::tuple{ss::member("id", &Account::id_), ss::member("cents", &Account::cents_)};
#endif
};

ss::Value save(const Account& account) { return ss::Value::from(account); }
Account load(const ss::Value& value) { return value.as<Account>(); }
