#include "identity/sessions/sign_in.h"

#include "identity/access/authenticator.h"
#include "identity/store/credential_repository.h"
#include "identity/store/identity_for_test.h"
#include "identity/store/session_repository.h"

namespace spindle::identity {
namespace {

class SignInTest : public IdentityTest {
 protected:
  static SignInClient from(const std::string& address) { return {address, address, "browser"}; }

  /// Returns how many attempts with a wrong password on the account of ada are refused.
  template <class Address>
  int limitedOf(int attempts, Address address) {
    int limited = 0;
    for (int i = 0; i < attempts; ++i) {
      const auto opened = sign_in_.withPassword("ada", Secret("wrong"), from(address(i)));
      limited += codeOf(opened) == ErrorCode::kRateLimited ? 1 : 0;
    }
    return limited;
  }

  SessionRepository sessions_{*database_, clock_, sha256("sessions")};
  CredentialRepository credentials_{*database_, clock_, sha256("codes")};
  Authenticator key_authenticator_{keys_, clock_};
  PasswordHasher passwords_{sha256("passwords"), ScryptCost{4, 1, 1}};
  SessionAuthenticator authenticator_{sessions_, clock_, sha256("csrf")};
  SignIn sign_in_{
      {users_, keys_, sessions_, credentials_, key_authenticator_, passwords_, clock_, clock_},
      SessionTimes()};
};

TEST_P(SignInTest, OpensASessionForEachKindOfCredential) {
  const User ada = person("ada");
  const IssuedKey issued = key(ada, "laptop");
  ASSERT_TRUE(sign_in_.setPassword(ada.id, Secret("a long password")));
  const Secret code = *credentials_.issueCode(ada.id);
  const Result<OpenedSession> with_key = sign_in_.withKey(issued.text, from("1.1.1.1"));
  const Result<OpenedSession> with_password =
      sign_in_.withPassword("ADA", Secret("a long password"), from("1.1.1.1"));
  const Result<OpenedSession> with_code = sign_in_.withCode(code, from("1.1.1.1"));
  for (const Result<OpenedSession>* opened : {&with_key, &with_password, &with_code}) {
    ASSERT_TRUE(*opened);
    EXPECT_EQ((*opened)->user.username, "ada");
    EXPECT_EQ((*opened)->session.client, "browser");
    EXPECT_EQ((*opened)->session.address, "1.1.1.1");
    EXPECT_TRUE(authenticator_.authenticate((*opened)->token.reveal()));
  }
  EXPECT_EQ(with_key->session.api_key_id, issued.key.id);
  EXPECT_FALSE(with_password->session.api_key_id);
  EXPECT_NE(with_key->token.reveal(), with_password->token.reveal());
}

TEST_P(SignInTest, RefusesWrongCredentialsAlike) {
  const User ada = person("ada");
  person("bob");
  ASSERT_TRUE(sign_in_.setPassword(ada.id, Secret("a long password")));
  const auto refusal = [&](std::string_view name, std::string password) {
    const Result<OpenedSession> opened =
        sign_in_.withPassword(name, Secret(std::move(password)), from("1.1.1.1"));
    EXPECT_EQ(codeOf(opened), ErrorCode::kUnauthenticated);
    return opened ? "" : opened.error().message();
  };
  const std::string wrong = refusal("ada", "another password");
  EXPECT_EQ(refusal("bob", ""), wrong) << "a user without a password";
  EXPECT_EQ(refusal("nobody", "a long password"), wrong);
  ASSERT_TRUE(users_.update(ada.id, {.suspended = true}));
  EXPECT_EQ(refusal("ada", "a long password"), wrong) << "a suspended user";
  for (int i = 0; i < 8; ++i) refusal("ada", "a long password");
  EXPECT_EQ(codeOf(sign_in_.withPassword("ada", Secret("a long password"), from("1.1.1.1"))),
            ErrorCode::kRateLimited)
      << "its right password counts as a wrong one";
  EXPECT_EQ(codeOf(sign_in_.withKey(newKeyText().text, from("1.1.1.1"))),
            ErrorCode::kUnauthenticated);
  EXPECT_EQ(codeOf(sign_in_.withCode(newSessionToken(), from("1.1.1.1"))),
            ErrorCode::kUnauthenticated);
}

TEST_P(SignInTest, LimitsAttemptsPerAddress) {
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    refused +=
        codeOf(sign_in_.withKey(newKeyText().text, from("1.1.1.1"))) == ErrorCode::kRateLimited ? 1
                                                                                                : 0;
  }
  EXPECT_EQ(refused, 10) << "30 attempts of one address";
}

TEST_P(SignInTest, LimitsPasswordsPerAccountAndAddress) {
  const User ada = person("ada");
  const Secret right("a long password");
  ASSERT_TRUE(sign_in_.setPassword(ada.id, right));
  EXPECT_EQ(limitedOf(15, [](int) { return "2.2.2.2"; }), 5) << "10 attempts";
  EXPECT_EQ(codeOf(sign_in_.withPassword("Ada", right, from("2.2.2.2"))), ErrorCode::kRateLimited);
  EXPECT_TRUE(sign_in_.withPassword("ada", right, from("3.3.3.3"))) << "the person elsewhere";
  EXPECT_TRUE(sign_in_.changePassword(ada, right, right)) << "the person in its session";
  clock_.advance(std::chrono::seconds(30));
  EXPECT_TRUE(sign_in_.withPassword("ada", right, from("2.2.2.2")));
}

TEST_P(SignInTest, LimitsPasswordsPerAccountOverAllAddresses) {
  const User ada = person("ada");
  const Secret right("a long password");
  ASSERT_TRUE(sign_in_.setPassword(ada.id, right));
  const auto address = [](int i) { return "2.2.2." + std::to_string(i); };
  EXPECT_EQ(limitedOf(310, address), 10) << "300 attempts";
  EXPECT_EQ(codeOf(sign_in_.withPassword("ada", right, from("3.3.3.3"))), ErrorCode::kRateLimited);
  EXPECT_TRUE(sign_in_.changePassword(ada, right, right));
  clock_.advance(std::chrono::seconds(3));
  EXPECT_TRUE(sign_in_.withPassword("ada", right, from("3.3.3.3")));
}

TEST_P(SignInTest, LimitsGuessesOfTheCurrentPassword) {
  const User ada = person("ada");
  ASSERT_TRUE(sign_in_.setPassword(ada.id, Secret("a long password")));
  int limited = 0;
  for (int i = 0; i < 15; ++i) {
    const auto changed = sign_in_.changePassword(ada, Secret("guess"), Secret("another password"));
    limited += codeOf(changed) == ErrorCode::kRateLimited ? 1 : 0;
  }
  EXPECT_EQ(limited, 5);
}

TEST_P(SignInTest, LimitsASessionByItsKey) {
  const User ada = person("ada");
  NewApiKey wanted;
  wanted.owner_id = ada.id;
  wanted.name = "brief";
  wanted.expires_at = clock_.now() + std::chrono::hours(1);
  const IssuedKey brief = *keys_.issue(wanted);
  EXPECT_EQ(sign_in_.withKey(brief.text, from("1.1.1.1"))->session.expires_at, *wanted.expires_at);
}

TEST_P(SignInTest, ChangesAPasswordWithTheCurrentOne) {
  const User ada = person("ada");
  ASSERT_TRUE(sign_in_.changePassword(ada, std::nullopt, Secret("the first password")));
  const Secret token = sign_in_.open(ada.id, from("1.1.1.1"))->token;
  EXPECT_EQ(reasonOf(sign_in_.changePassword(ada, std::nullopt, Secret("the second password"))),
            "wrong_password");
  EXPECT_EQ(reasonOf(sign_in_.changePassword(ada, Secret("guess"), Secret("the second password"))),
            "wrong_password");
  EXPECT_TRUE(authenticator_.authenticate(token.reveal()));
  ASSERT_TRUE(
      sign_in_.changePassword(ada, Secret("the first password"), Secret("the second password")));
  EXPECT_FALSE(authenticator_.authenticate(token.reveal()));
  EXPECT_TRUE(sign_in_.withPassword("ada", Secret("the second password"), from("1.1.1.1")));
  EXPECT_FALSE(sign_in_.withPassword("ada", Secret("the first password"), from("1.1.1.1")));
}

TEST_P(SignInTest, ShowsPrintableClientsOnly) {
  const User ada = person("ada");
  SignInClient client = from("1.1.1.1");
  client.user_agent = "a\x1b[31m\xe2\x80\xae" + std::string(1000, 'b');
  const UserSession session = sign_in_.open(ada.id, client)->session;
  EXPECT_EQ(session.client.size(), 256U);
  EXPECT_TRUE(session.client.starts_with("a?[31m???b"));
}

SPINDLE_ON_BOTH_ENGINES(SignInTest);

}  // namespace
}  // namespace spindle::identity
