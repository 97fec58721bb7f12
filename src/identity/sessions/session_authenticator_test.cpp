#include "identity/sessions/session_authenticator.h"

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;

class SessionAuthentication : public IdentityTest {
 protected:
  std::string opened(const User& user, std::optional<std::string> api_key_id = {}) {
    NewSession fresh;
    fresh.user_id = user.id;
    fresh.api_key_id = std::move(api_key_id);
    fresh.expires_at = clock_.now() + hours(48);
    const Secret token = newSessionToken();
    EXPECT_TRUE(sessions_.insert(fresh, token.reveal()));
    return std::string(token.reveal());
  }
  bool isValid(std::string_view token) { return authenticator_.authenticate(token).has_value(); }

  SessionRepository sessions_{*database_, clock_, sha256("sessions")};
  SessionAuthenticator authenticator_{
      sessions_, clock_, sha256("csrf"), {.idle = hours(12), .lifetime = hours(48)}};
};

TEST_P(SessionAuthentication, FindsTheUser) {
  const User ada = person("ada");
  const Result<SessionUser> user = authenticator_.authenticate(opened(ada));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->user_id, ada.id);
  EXPECT_EQ(user->username, "ada");
  EXPECT_EQ(user->key_id, "session:" + ada.id);
  EXPECT_TRUE(user->session_id.starts_with("ses_"));
}

TEST_P(SessionAuthentication, RejectsOtherTokens) {
  const User ada = person("ada");
  std::string token = opened(ada);
  EXPECT_FALSE(isValid(newSessionToken().reveal()));
  EXPECT_FALSE(isValid(""));
  EXPECT_FALSE(isValid(token.substr(1)));
  EXPECT_FALSE(isValid(token + "A"));
  EXPECT_FALSE(isValid(std::string(43, '%')));
  token.front() = token.front() == 'A' ? 'B' : 'A';
  EXPECT_FALSE(isValid(token));
}

TEST_P(SessionAuthentication, EndsAfterTheIdleTime) {
  const std::string token = opened(person("ada"));
  clock_.advance(hours(12) - seconds(1));
  EXPECT_TRUE(isValid(token)) << "a use within the idle time";
  clock_.advance(hours(12) - seconds(1));
  EXPECT_TRUE(isValid(token)) << "the earlier use counts before it is stored";
  ASSERT_TRUE(authenticator_.flushUses());
  clock_.advance(hours(12) - seconds(1));
  EXPECT_TRUE(isValid(token)) << "and after it is stored";
  ASSERT_TRUE(authenticator_.flushUses());
  clock_.advance(hours(12));
  EXPECT_FALSE(isValid(token));
}

TEST_P(SessionAuthentication, EndsAfterItsLifetimeHoweverUsed) {
  const std::string token = opened(person("ada"));
  for (int hour = 0; hour < 48; ++hour) {
    EXPECT_TRUE(isValid(token)) << hour;
    ASSERT_TRUE(authenticator_.flushUses());
    clock_.advance(hours(1));
  }
  EXPECT_FALSE(isValid(token));
}

TEST_P(SessionAuthentication, EndsAtTheNextRequestWhenItIsRevoked) {
  const std::string token = opened(person("ada"));
  const std::string id = authenticator_.authenticate(token)->session_id;
  ASSERT_TRUE(sessions_.remove(id));
  EXPECT_FALSE(isValid(token));
}

TEST_P(SessionAuthentication, OfAKeyCountsForTheKeyAndEndsWithIt) {
  const User ada = person("ada");
  NewApiKey wanted;
  wanted.owner_id = ada.id;
  wanted.name = "brief";
  wanted.expires_at = clock_.now() + minutes(30);
  const IssuedKey brief = *keys_.issue(wanted);
  const IssuedKey lasting = key(ada, "lasting");
  const std::string first = opened(ada, brief.key.id);
  const std::string second = opened(ada, lasting.key.id);
  EXPECT_EQ(authenticator_.authenticate(first)->key_id, brief.key.key_id);
  clock_.advance(minutes(30));
  EXPECT_FALSE(isValid(first)) << "the key has expired";
  EXPECT_TRUE(isValid(second));
  ASSERT_TRUE(keys_.remove(lasting.key.id));
  EXPECT_FALSE(isValid(second)) << "the key was revoked";
}

TEST_P(SessionAuthentication, ChecksASessionByItsIdWithoutUsingIt) {
  const std::string token = opened(person("ada"));
  const std::string id = authenticator_.authenticate(token)->session_id;
  EXPECT_EQ(authenticator_.isValid("ses_other").value(), false);
  clock_.advance(hours(12) - seconds(1));
  EXPECT_EQ(authenticator_.isValid(id).value(), true);
  clock_.advance(seconds(1));
  EXPECT_EQ(authenticator_.isValid(id).value(), false) << "the check was not a use";
  EXPECT_FALSE(isValid(token));
}

TEST_P(SessionAuthentication, StoresUsesWithTenMinutesResolution) {
  const User ada = person("ada");
  const std::string token = opened(ada);
  const Timestamp created = clock_.now();
  const auto stored = [&] { return sessions_.list(ada.id, {})->items.front().last_used_at; };
  clock_.advance(minutes(9));
  EXPECT_TRUE(isValid(token));
  ASSERT_TRUE(authenticator_.flushUses());
  EXPECT_EQ(stored(), created);
  clock_.advance(minutes(2));
  EXPECT_TRUE(isValid(token));
  ASSERT_TRUE(authenticator_.flushUses());
  EXPECT_EQ(stored(), created + minutes(11));
}

TEST_P(SessionAuthentication, RemovesIdleSessionsButNotUsedOnes) {
  const User ada = person("ada");
  const std::string idle = opened(ada);
  const std::string used = opened(ada);
  clock_.advance(hours(11));
  EXPECT_TRUE(isValid(used));
  clock_.advance(hours(2));
  ASSERT_TRUE(authenticator_.removeExpired());
  EXPECT_EQ(sessions_.list(ada.id, {})->items.size(), 1U);
  EXPECT_TRUE(isValid(used));
  EXPECT_FALSE(isValid(idle));
}

TEST_P(SessionAuthentication, DerivesTheCsrfTokenFromTheSession) {
  const std::string token(newSessionToken().reveal());
  const std::string csrf = authenticator_.csrfTokenOf(token);
  EXPECT_EQ(csrf.size(), 43U);
  EXPECT_EQ(csrf, authenticator_.csrfTokenOf(token));
  EXPECT_NE(csrf, token);
  EXPECT_NE(csrf, authenticator_.csrfTokenOf(newSessionToken().reveal()));
  const SessionAuthenticator other(sessions_, clock_, sha256("other"));
  EXPECT_NE(csrf, other.csrfTokenOf(token));
}

SPINDLE_ON_BOTH_ENGINES(SessionAuthentication);

}  // namespace
}  // namespace spindle::identity
