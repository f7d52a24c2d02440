// error: takes a pointer to a data member, not to a function
#include <tuple>

#include <safestructures/codecs/codecs.hpp>

namespace ss = safestructures;

class Account {
 public:
  int id() const { return id_; }

 private:
  int id_ = 0;
  int cents_ = 0;
  friend struct ss::Rules<Account>;
};

template <>
struct ss::Rules<Account> {
#ifdef SHOULD_FAIL
  static constexpr auto members = std::tuple{ss::member("id", &Account::id)};
#else
  static constexpr auto members =
      std::tuple{ss::member("id", &Account::id_), ss::member("cents", &Account::cents_)};
#endif
};

ss::Value save(const Account& account) { return ss::Value::from(account); }
Account load(const ss::Value& value) { return value.as<Account>(); }
