#include "identity/sessions/sign_in.h"

#include <algorithm>
#include <utility>

#include "identity/access/authenticator.h"
#include "identity/store/api_key_repository.h"
#include "identity/store/credential_repository.h"
#include "identity/store/session_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/names.h"

namespace spindle::identity {
namespace {

constexpr AttemptLimiter::Rate kPerAddress{.burst = 30, .interval = std::chrono::seconds(6)};
constexpr AttemptLimiter::Rate kPerAccountAndAddress{.burst = 10,
                                                     .interval = std::chrono::seconds(30)};
/// Far above the failures of one person: an attacker needs many addresses to reach it.
constexpr AttemptLimiter::Rate kPerAccount{.burst = 300, .interval = std::chrono::seconds(3)};
constexpr AttemptLimiter::Rate kPerSignedInUser{.burst = 10, .interval = std::chrono::seconds(30)};
constexpr std::size_t kLongestClient = 256;

Error wrongCredential(std::string_view message) {
  return Error(ErrorCode::kUnauthenticated, message).because("invalid_credentials");
}
Error wrongPassword() { return wrongCredential("The user name or the password is wrong."); }

/// Returns the printable ASCII of a User-Agent field, shortened.
std::string shownClient(std::string_view user_agent) {
  std::string client(user_agent.substr(0, kLongestClient));
  std::replace_if(
      client.begin(), client.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return client;
}

}  // namespace

SignIn::SignIn(const SignInPorts& ports, const SessionTimes& times)
    : ports_(ports),
      times_(times),
      by_address_(kPerAddress, ports.schedule, ports.shared_rates, "address"),
      by_account_and_address_(
          kPerAccountAndAddress, ports.schedule, ports.shared_rates, "account-and-address"),
      by_account_(kPerAccount, ports.schedule, ports.shared_rates, "account"),
      by_signed_in_user_(kPerSignedInUser, ports.schedule, ports.shared_rates, "signed-in") {}

NewSession SignIn::newSession(std::string_view user_id, const SignInClient& client) const {
  NewSession fresh;
  fresh.user_id = user_id;
  fresh.client = shownClient(client.user_agent);
  fresh.address = client.address;
  fresh.expires_at =
      ports_.clock.now() + std::chrono::duration_cast<std::chrono::microseconds>(times_.lifetime);
  return fresh;
}

Result<OpenedSession> SignIn::open(std::string_view user_id,
                                   const SignInClient& client,
                                   std::optional<std::string> api_key_id) {
  const User user = TRY(ports_.users.find(user_id));
  NewSession fresh = newSession(user_id, client);
  if (api_key_id) {
    const ApiKey key = TRY(ports_.keys.find(*api_key_id));
    if (key.expires_at) fresh.expires_at = std::min(fresh.expires_at, *key.expires_at);
  }
  fresh.api_key_id = std::move(api_key_id);
  const Secret token = newSessionToken();
  const UserSession session = TRY(ports_.sessions.insert(fresh, token.reveal()));
  return OpenedSession{session, user, token};
}

Result<OpenedSession> SignIn::withKey(const Secret& api_key, const SignInClient& client) {
  TRY(by_address_.take(client.address_block));
  const Result<AuthenticatedUser> owner = ports_.key_authenticator.authenticate(api_key.reveal());
  if (!owner && owner.error().code() == ErrorCode::kUnauthenticated) {
    return wrongCredential("This API key is not valid.");
  }
  if (!owner) return owner.error();
  by_address_.giveBack(client.address_block);
  return open(owner->user_id, client, owner->api_key_id);
}

Result<bool> SignIn::checkPassword(std::initializer_list<Limit> limits,
                                   std::string_view hash,
                                   const Secret& given) {
  const auto give_back = [](const Limit* first, const Limit* last) {
    for (; first != last; ++first) first->limiter.giveBack(first->subject);
  };
  for (const Limit& limit : limits) {
    if (const Result<void> taken = limit.limiter.take(limit.subject); !taken) {
      give_back(limits.begin(), &limit);
      return taken.error();
    }
  }
  Result<bool> matched = ports_.passwords.matches(given, hash);
  // Only a wrong password counts, not a check that was not made.
  if (!matched || *matched) give_back(limits.begin(), limits.end());
  return matched;
}

Result<OpenedSession> SignIn::withPassword(std::string_view username,
                                           const Secret& password,
                                           const SignInClient& client) {
  TRY(by_address_.take(client.address_block));
  const Result<User> user = ports_.users.findByUsername(username);
  if (!user && user.error().code() != ErrorCode::kNotFound) return user.error();
  std::string hash;
  // A suspended user has no password: nobody learns whether the given one is right.
  if (user && !user->suspended) {
    std::optional<std::string> stored = TRY(ports_.credentials.findPassword(user->id));
    hash = std::move(stored).value_or("");
  }
  const std::string account = foldCase(username);
  const std::string account_and_address = account + "\n" + client.address_block;
  const bool matched = TRY(checkPassword(
      {{by_account_and_address_, account_and_address}, {by_account_, account}}, hash, password));
  if (!matched) return wrongPassword();
  by_address_.giveBack(client.address_block);
  Result<OpenedSession> opened = open(user->id, client);
  // The user was suspended in the meantime.
  if (!opened && opened.error().code() == ErrorCode::kUnauthenticated) return wrongPassword();
  return opened;
}

Result<OpenedSession> SignIn::withCode(const Secret& code, const SignInClient& client) {
  TRY(by_address_.take(client.address_block));
  const Secret token = newSessionToken();
  const Result<UserSession> session = ports_.sessions.insertWithCode(
      newSession({}, client), token.reveal(), ports_.credentials.digestOfCode(code.reveal()));
  if (!session && session.error().code() == ErrorCode::kUnauthenticated) {
    return wrongCredential("This sign-in link was used already or has expired.");
  }
  if (!session) return session.error();
  by_address_.giveBack(client.address_block);
  const User user = TRY(ports_.users.find(session->user_id));
  return OpenedSession{*session, user, token};
}

Result<void> SignIn::changePassword(const User& user,
                                    const std::optional<Secret>& current,
                                    const Secret& fresh) {
  const std::optional<std::string> stored = TRY(ports_.credentials.findPassword(user.id));
  if (stored) {
    const Secret given = current.value_or(Secret());
    const bool matched = TRY(checkPassword({{by_signed_in_user_, user.id}}, *stored, given));
    if (!matched) {
      return Error::denied("The current password is wrong.").because("wrong_password");
    }
  }
  return setPassword(user.id, fresh);
}

Result<void> SignIn::setPassword(std::string_view user_id, const Secret& fresh) {
  const std::string hash = TRY(ports_.passwords.hash(fresh));
  return ports_.credentials.setPassword(user_id, hash);
}

}  // namespace spindle::identity
