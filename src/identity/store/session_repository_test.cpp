#include "identity/store/session_repository.h"

#include "identity/store/credential_repository.h"
#include "identity/store/identity_for_test.h"
#include "storage/database/database.h"

namespace spindle::identity {
namespace {

using std::chrono::hours, std::chrono::minutes;

class Sessions : public IdentityTest {
 protected:
  NewSession sessionOf(const User& user) {
    NewSession fresh;
    fresh.user_id = user.id;
    fresh.client = "browser";
    fresh.address = "127.0.0.1";
    fresh.expires_at = clock_.now() + hours(1);
    return fresh;
  }
  std::optional<SessionOwner> ownerOf(std::string_view token) {
    Result<std::optional<SessionOwner>> owner = sessions_.findOwner(sessions_.digestOf(token));
    EXPECT_TRUE(owner);
    return owner ? *std::move(owner) : std::nullopt;
  }
  std::size_t count(const User& user) {
    return sessions_.list(user.id, {.limit = 200, .after = ""})->items.size();
  }

  SessionRepository sessions_{*database_, clock_, sha256("sessions")};
  CredentialRepository credentials_{*database_, clock_, sha256("codes")};
};

TEST_P(Sessions, AreFoundByTheirToken) {
  const User ada = person("ada");
  const Team acme = team("acme", ada);
  const UserSession made = *sessions_.insert(sessionOf(ada), "token");
  const std::optional<SessionOwner> owner = ownerOf("token");
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->session_id, made.id);
  EXPECT_EQ(owner->username, "ada");
  EXPECT_EQ(owner->team_id, acme.id);
  EXPECT_EQ(owner->key_id, "");
  EXPECT_EQ(owner->expires_at, clock_.now() + hours(1));
  EXPECT_FALSE(ownerOf("other"));
  NewSession of_nobody = sessionOf(ada);
  of_nobody.user_id = "usr_none";
  EXPECT_EQ(codeOf(sessions_.insert(of_nobody, "t")), ErrorCode::kNotFound);
}

TEST_P(Sessions, EndWithTheirUserAndTheirKey) {
  const User ada = person("ada");
  const IssuedKey issued = key(ada, "laptop");
  NewSession fresh = sessionOf(ada);
  fresh.api_key_id = issued.key.id;
  ASSERT_TRUE(sessions_.insert(fresh, "of-key"));
  ASSERT_TRUE(sessions_.insert(sessionOf(ada), "of-user"));
  EXPECT_EQ(ownerOf("of-key")->key_id, issued.key.key_id);
  ASSERT_TRUE(keys_.remove(issued.key.id));
  EXPECT_FALSE(ownerOf("of-key"));
  EXPECT_TRUE(ownerOf("of-user"));
  ASSERT_TRUE(database_->write([&](storage::Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM users WHERE id = ?", {ada.id}));
    return {};
  }));
  EXPECT_FALSE(ownerOf("of-user"));
}

TEST_P(Sessions, AreLimitedPerUser) {
  const User ada = person("ada");
  const User bob = person("bob");
  ASSERT_TRUE(sessions_.insert(sessionOf(bob), "bob"));
  for (int i = 0; i < SessionRepository::kMaxPerUser + 3; ++i) {
    ASSERT_TRUE(sessions_.insert(sessionOf(ada), "t" + std::to_string(i)));
    clock_.advance(minutes(1));
    if (i != 1) continue;
    ASSERT_TRUE(sessions_.recordUses({{ownerOf("t0")->session_id, clock_.now() + hours(2)}}));
  }
  EXPECT_EQ(count(ada), std::size_t{SessionRepository::kMaxPerUser});
  EXPECT_TRUE(ownerOf("t0")) << "used recently";
  EXPECT_FALSE(ownerOf("t1"));
  EXPECT_TRUE(ownerOf("bob"));
}

TEST_P(Sessions, AreRemoved) {
  const User ada = person("ada");
  const UserSession first = *sessions_.insert(sessionOf(ada), "first");
  ASSERT_TRUE(sessions_.insert(sessionOf(ada), "second"));
  EXPECT_TRUE(sessions_.remove(first.id));
  EXPECT_EQ(codeOf(sessions_.remove(first.id)), ErrorCode::kNotFound);
  EXPECT_FALSE(ownerOf("first"));
  EXPECT_TRUE(sessions_.removeByToken("second"));
  EXPECT_TRUE(sessions_.removeByToken("second"));
  EXPECT_EQ(count(ada), 0U);
  const std::vector<AuditEntry> entries =
      audit_.list({.action = "session.revoke"}, {.limit = 200, .after = {}})->items;
  ASSERT_EQ(entries.size(), 2U);
  for (const AuditEntry& entry : entries) EXPECT_EQ(entry.actor, "ada");
}

TEST_P(Sessions, EndWithTheSuspensionOfTheirUser) {
  const User ada = person("ada");
  const User bob = person("bob");
  ASSERT_TRUE(sessions_.insert(sessionOf(ada), "ada"));
  ASSERT_TRUE(sessions_.insert(sessionOf(bob), "bob"));
  const std::string code = credentials_.digestOfCode(credentials_.issueCode(ada.id)->reveal());
  ASSERT_TRUE(users_.update(ada.id, {.name = "Ada"}));
  EXPECT_TRUE(ownerOf("ada"));
  for (const bool suspended : {true, false}) {
    ASSERT_TRUE(users_.update(ada.id, {.suspended = suspended}));
    EXPECT_FALSE(ownerOf("ada"));
    EXPECT_EQ(codeOf(sessions_.insertWithCode(sessionOf(ada), "by-code", code)),
              ErrorCode::kUnauthenticated);
  }
  EXPECT_EQ(count(ada), 0U);
  EXPECT_TRUE(ownerOf("bob"));
}

TEST_P(Sessions, AreRemovedAfterTheirTime) {
  const User ada = person("ada");
  ASSERT_TRUE(sessions_.insert(sessionOf(ada), "idle"));
  const UserSession used = *sessions_.insert(sessionOf(ada), "used");
  clock_.advance(minutes(30));
  ASSERT_TRUE(sessions_.recordUses({{used.id, clock_.now()}}));
  ASSERT_TRUE(sessions_.removeExpired(clock_.now() - minutes(20)));
  EXPECT_FALSE(ownerOf("idle"));
  EXPECT_TRUE(ownerOf("used"));
  clock_.advance(minutes(31));
  EXPECT_EQ(count(ada), 0U) << "an expired session is not listed";
  ASSERT_TRUE(sessions_.removeExpired(clock_.now() - hours(9)));
  EXPECT_FALSE(ownerOf("used"));
}

TEST_P(Sessions, OpenOnceWithACode) {
  const User ada = person("ada");
  EXPECT_FALSE(*credentials_.hasSignedIn(ada.id));
  const std::string digest = credentials_.digestOfCode(credentials_.issueCode(ada.id)->reveal());
  NewSession fresh = sessionOf(ada);
  fresh.user_id = "ignored";
  const Result<UserSession> opened = sessions_.insertWithCode(fresh, "token", digest);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->user_id, ada.id);
  EXPECT_TRUE(*credentials_.hasSignedIn(ada.id));
  EXPECT_EQ(codeOf(sessions_.insertWithCode(fresh, "again", digest)), ErrorCode::kUnauthenticated);

  const std::string late = credentials_.digestOfCode(credentials_.issueCode(ada.id)->reveal());
  clock_.advance(CredentialRepository::kCodeLifetime);
  EXPECT_EQ(codeOf(sessions_.insertWithCode(fresh, "late", late)), ErrorCode::kUnauthenticated);
  EXPECT_FALSE(ownerOf("again") || ownerOf("late"));
}

TEST_P(Sessions, EndWhenThePasswordChanges) {
  const User ada = person("ada");
  const User bob = person("bob");
  ASSERT_TRUE(sessions_.insert(sessionOf(ada), "ada"));
  ASSERT_TRUE(sessions_.insert(sessionOf(bob), "bob"));
  const std::string code = credentials_.digestOfCode(credentials_.issueCode(ada.id)->reveal());
  EXPECT_FALSE(credentials_.findPassword(ada.id)->has_value());
  ASSERT_TRUE(credentials_.setPassword(ada.id, "hash"));
  EXPECT_EQ(credentials_.findPassword(ada.id)->value(), "hash");
  EXPECT_FALSE(ownerOf("ada"));
  EXPECT_TRUE(ownerOf("bob"));
  EXPECT_EQ(codeOf(sessions_.insertWithCode(sessionOf(ada), "x", code)),
            ErrorCode::kUnauthenticated);
  EXPECT_TRUE(*credentials_.hasSignedIn(ada.id)) << "the time of the sign-in stays";
}

TEST_P(Sessions, OfServiceAccountsNeedAKey) {
  const User ada = person("ada");
  const User robot = serviceAccount(team("acme", ada), "robot").account;
  EXPECT_EQ(reasonOf(credentials_.setPassword(robot.id, "hash")), "service_account");
  EXPECT_EQ(reasonOf(credentials_.issueCode(robot.id)), "service_account");
  EXPECT_EQ(codeOf(credentials_.issueCode("usr_none")), ErrorCode::kNotFound);
}

SPINDLE_ON_BOTH_ENGINES(Sessions);

}  // namespace
}  // namespace spindle::identity
