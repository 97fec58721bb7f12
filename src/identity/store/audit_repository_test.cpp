#include "identity/store/audit_repository.h"

#include <chrono>

#include "base/core/request_origin.h"
#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

using storage::Session;

class AuditRepositoryTest : public IdentityTest {
 protected:
  std::vector<AuditEntry> entries(const AuditFilter& filter = {}) {
    Result<Page<AuditEntry>> page = audit_.list(filter, {.limit = 200, .after = {}});
    EXPECT_TRUE(page);
    return page ? page->items : std::vector<AuditEntry>();
  }
  /// Returns the actions, oldest first, separated by spaces.
  std::string actions(const AuditFilter& filter = {}) {
    std::string text;
    for (const AuditEntry& entry : entries(filter)) {
      text = entry.action + (text.empty() ? "" : " ") + text;
    }
    return text;
  }
  void advance() { clock_.advance(std::chrono::seconds(1)); }
};

TEST_P(AuditRepositoryTest, RecordsWhoDidWhatFromWhere) {
  const RequestOrigin origin{.user_id = "usr_1",
                             .username = "ada",
                             .credential = "spk_1",
                             .address = "192.0.2.1",
                             .user_agent = "curl\xff\n",
                             .request_id = "req-1"};
  {
    const RequestOriginScope scope(origin);
    person("bob");
  }
  const AuditEntry entry = entries().front();
  EXPECT_EQ(entry.action, "user.create");
  EXPECT_EQ(entry.targetKind(), "user");
  EXPECT_EQ(entry.target_name, "bob");
  EXPECT_EQ(entry.actor_id, "usr_1");
  EXPECT_EQ(entry.actor, "ada");
  EXPECT_EQ(entry.credential, "spk_1");
  EXPECT_EQ(entry.address, "192.0.2.1");
  EXPECT_EQ(entry.user_agent, "curl??");
  EXPECT_EQ(entry.request_id, "req-1");
  EXPECT_EQ(entry.team, std::nullopt);
  person("eve");
  EXPECT_EQ(entries().front().actor, std::nullopt);
}

TEST_P(AuditRepositoryTest, AnEntryAndItsChangeAreOneTransaction) {
  const Result<void> failed = database_->write([&](Session& session) -> Result<void> {
    TRY(recordChange(session, {.action = "user.create"}, clock_.now()));
    return Error::conflict("no");
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(actions(), "");
}

TEST_P(AuditRepositoryTest, StoresTheNamesOfTeamAndProjectAsTheyWere) {
  const User ada = person("ada");
  const Team acme = team("acme", ada);
  advance();
  const Project app = project(acme, "app", ada);
  advance();
  ASSERT_TRUE(projects_.remove(app.id));
  advance();
  ASSERT_TRUE(teams_.remove("acme", true));
  AuditFilter filter;
  filter.team_ids = {{acme.id}};
  EXPECT_EQ(actions(filter), "team.create project.create project.delete team.delete");
  EXPECT_EQ(entries(filter)[1].team, "acme");
  EXPECT_EQ(entries(filter)[1].project, "app");
  // A new team of the same name is another team.
  const Team other = team("acme", ada);
  filter.team_ids = {{other.id}};
  EXPECT_EQ(actions(filter), "team.create");
  filter.team_ids.emplace();
  EXPECT_EQ(actions(filter), "");
}

TEST_P(AuditRepositoryTest, FiltersByActorActionAndTime) {
  const RequestOrigin origin{.user_id = "usr_1", .username = "root"};
  const RequestOriginScope scope(origin);
  const User ada = person("ada");
  advance();
  const IssuedKey issued = key(ada, "laptop");
  advance();
  ASSERT_TRUE(keys_.remove(issued.key.id));
  EXPECT_EQ(actions(), "user.create api_key.create api_key.revoke");
  EXPECT_EQ(actions({.action = "api_key"}), "api_key.create api_key.revoke");
  EXPECT_EQ(actions({.action = "api_key.revoke"}), "api_key.revoke");
  EXPECT_EQ(actions({.action = "api"}), "");
  EXPECT_EQ(actions({.actor = "root"}), "user.create api_key.create api_key.revoke");
  EXPECT_EQ(actions({.actor = "ada"}), "");
  EXPECT_EQ(actions({.since = clock_.now()}), "api_key.revoke");
  EXPECT_EQ(actions({.until = clock_.now()}), "user.create api_key.create");
  EXPECT_EQ(entries().front().details->find(issued.text.reveal()), std::string::npos);
}

TEST_P(AuditRepositoryTest, CutsLongTexts) {
  const std::string name = "ä" + std::string(600, 'x');
  ASSERT_TRUE(audit_trail_.recordBefore({.action = "user.create",
                                         .target_name = name,
                                         .details = {{"text", std::string(511, 'y') + "ä"}}}));
  EXPECT_EQ(entries().front().target_name->size(), 512U);
  EXPECT_EQ(entries().front().details, R"({"text":")" + std::string(511, 'y') + R"("})");
}

TEST_P(AuditRepositoryTest, PagesAndExpires) {
  for (const char* name : {"a", "b", "c"}) {
    person(name);
    advance();
  }
  const Result<Page<AuditEntry>> first = audit_.list({}, {.limit = 2, .after = {}});
  ASSERT_TRUE(first && first->next);
  const Result<Page<AuditEntry>> second = audit_.list({}, {.limit = 2, .after = *first->next});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items.front().target_name, "a");
  EXPECT_EQ(*audit_.removeBefore(second->items.front().created_at), 0);
  EXPECT_EQ(*audit_.removeBefore(clock_.now() - std::chrono::seconds(1)), 2);
  EXPECT_EQ(actions(), "user.create");
}

SPINDLE_ON_BOTH_ENGINES(AuditRepositoryTest);

}  // namespace
}  // namespace spindle::identity
