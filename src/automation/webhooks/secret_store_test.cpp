#include "automation/webhooks/secret_store.h"

#include "automation/webhooks/automation_for_test.h"
#include "storage/database/database.h"

namespace spindle::automation {
namespace {

class SecretStoreTest : public AutomationContract {
 protected:
  std::string valueOf(const std::string& name) {
    const Result<Credentials> credentials = secrets_.resolve(acme_.id, std::nullopt, name);
    return credentials ? std::string(credentials->secret.reveal()) : credentials.error().reason();
  }
  /// Returns the content of the table as one text.
  std::string rawTable() {
    const auto rows = database_->read([](storage::Session& session) {
      return session.query(
          "SELECT name, sealed, coalesce(previous_sealed, '') AS old FROM secrets");
    });
    std::string all;
    for (const storage::Row& row : *rows)
      all += row.text("name") + row.text("sealed") + row.text("old");
    return all;
  }
  void execute(SqlView sql) {
    const auto done =
        database_->write([&](storage::Session& session) { return session.execute(sql); });
    ASSERT_TRUE(done);
  }
};

TEST_P(SecretStoreTest, ReturnsValuesOnlyAsCredentials) {
  const SecretEntry entry = secret("DEPLOY_KEY", "s3cr3t-deploy-key");
  EXPECT_EQ(entry.version, 1);
  EXPECT_EQ(entry.used_by_count, 0);
  EXPECT_TRUE(entry.id.starts_with("sec_"));
  EXPECT_EQ(valueOf("DEPLOY_KEY"), "s3cr3t-deploy-key");
  EXPECT_EQ(rawTable().find("s3cr3t"), std::string::npos);
  EXPECT_EQ(rawTable().find(encodeBase64("s3cr3t-deploy-key")), std::string::npos);
}

TEST_P(SecretStoreTest, RequiresUniqueNames) {
  secret("KEY", "a");
  EXPECT_EQ(reasonOf(secrets_.insert({acme_.id, "KEY"}, Secret("b"))), "secret_name_taken");
  secret("key", "c");
  const identity::Team other = team("other", lead_);
  EXPECT_TRUE(secrets_.insert({other.id, "KEY"}, Secret("d")));
  EXPECT_EQ(valueOf("KEY"), "a");
}

TEST_P(SecretStoreTest, KeepsTheOldValueForADay) {
  secret("KEY", "first");
  const Result<SecretEntry> rotated = secrets_.rotate({acme_.id, "KEY"}, Secret("second"));
  ASSERT_TRUE(rotated);
  EXPECT_EQ(rotated->version, 2);
  Result<Credentials> now = secrets_.resolve(acme_.id, "KEY", "KEY");
  ASSERT_TRUE(now);
  EXPECT_EQ(now->access_token->reveal(), "second");
  EXPECT_EQ(now->secret.reveal(), "second");
  EXPECT_EQ(now->previous_secret->reveal(), "first");
  clock_.advance(std::chrono::hours(24));
  EXPECT_FALSE(secrets_.resolve(acme_.id, std::nullopt, "KEY")->previous_secret);
  EXPECT_EQ(secrets_.deleteRotated().value(), 1);
  EXPECT_EQ(secrets_.deleteRotated().value(), 0);
  EXPECT_EQ(valueOf("KEY"), "second");
}

TEST_P(SecretStoreTest, KeepsOnlyThePreviousValue) {
  secret("KEY", "first");
  ASSERT_TRUE(secrets_.rotate({acme_.id, "KEY"}, Secret("second")));
  ASSERT_TRUE(secrets_.rotate({acme_.id, "KEY"}, Secret("third")));
  EXPECT_EQ(secrets_.resolve(acme_.id, std::nullopt, "KEY")->previous_secret->reveal(), "second");
}

TEST_P(SecretStoreTest, ChecksTheExpectedVersion) {
  secret("KEY", "first");
  EXPECT_EQ(codeOf(secrets_.rotate({acme_.id, "KEY"}, Secret("x"), 7)),
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(secrets_.remove({acme_.id, "KEY"}, false, 7)), ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(secrets_.remove({acme_.id, "KEY"}, false, 1));
  EXPECT_EQ(codeOf(secrets_.rotate({acme_.id, "KEY"}, Secret("x"))), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(secrets_.remove({acme_.id, "KEY"}, false)), ErrorCode::kNotFound);
}

TEST_P(SecretStoreTest, DeletesUsedSecretsOnlyWithForce) {
  secret("KEY", "value");
  WebhookSettings settings = settingsOf("hook");
  settings.secret_ref = "KEY";
  webhook(settings);
  EXPECT_EQ(secrets_.list(acme_.id, {})->items.at(0).used_by_count, 1);
  EXPECT_EQ(reasonOf(secrets_.remove({acme_.id, "KEY"}, false)), "secret_in_use");
  EXPECT_TRUE(secrets_.remove({acme_.id, "KEY"}, true));
  EXPECT_EQ(valueOf("KEY"), "secret_unavailable");
}

TEST_P(SecretStoreTest, BindsValuesToTeamNameAndVersion) {
  secret("KEY", "value");
  secret("OTHER", "another");
  execute(
      "UPDATE secrets SET sealed = (SELECT s.sealed FROM secrets s WHERE s.name = 'OTHER') "
      "WHERE name = 'KEY'");
  EXPECT_EQ(valueOf("KEY"), "secret_unavailable");
  EXPECT_EQ(valueOf("OTHER"), "another");
  execute("UPDATE secrets SET version = 2 WHERE name = 'OTHER'");
  EXPECT_EQ(valueOf("OTHER"), "secret_unavailable");
}

TEST_P(SecretStoreTest, ReportsSecretsOfAnotherKeyAsUnavailable) {
  secret("KEY", "value");
  SecretStore other(*database_, clock_, sha256("another key"));
  EXPECT_EQ(reasonOf(other.resolve(acme_.id, "KEY", std::nullopt)), "secret_unavailable");
  const Result<SecretEntry> rotated = other.rotate({acme_.id, "KEY"}, Secret("fresh"));
  ASSERT_TRUE(rotated);
  const Result<Credentials> credentials = other.resolve(acme_.id, std::nullopt, "KEY");
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->secret.reveal(), "fresh");
  EXPECT_FALSE(credentials->previous_secret);
}

TEST_P(SecretStoreTest, ListsNewestFirst) {
  for (const char* name : {"A", "B", "C"}) secret(name, "value");
  const auto first = secrets_.list(acme_.id, {2, ""});
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].name, "C");
  const auto second = secrets_.list(acme_.id, {2, *first->next});
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].name, "A");
  EXPECT_FALSE(second->next);
}

SPINDLE_ON_BOTH_ENGINES(SecretStoreTest);

}  // namespace
}  // namespace spindle::automation
