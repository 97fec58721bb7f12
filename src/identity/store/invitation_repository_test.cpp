#include "identity/store/invitation_repository.h"

#include <chrono>

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class InvitationRepositoryTest : public IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    lead_ = person("lead");
    acme_ = team("acme", lead_);
  }

  IssuedInvitation invite(std::int64_t uses = 1) {
    NewInvitation fresh;
    fresh.team_id = acme_.id;
    fresh.role = TeamRole::kViewer;
    fresh.creator_id = lead_.id;
    fresh.uses = uses;
    fresh.expires_at = clock_.now() + std::chrono::hours(24);
    Result<IssuedInvitation> issued = invitations_.insert(fresh);
    EXPECT_TRUE(issued);
    return *std::move(issued);
  }
  static NewUser newUser(const std::string& username) {
    NewUser fresh;
    fresh.username = username;
    return fresh;
  }

  InvitationRepository invitations_{*database_, clock_, sha256("invitations")};
  User lead_;
  Team acme_;
  int people_ = 0;
};

TEST_P(InvitationRepositoryTest, StoresNoToken) {
  const IssuedInvitation issued = invite();
  EXPECT_EQ(issued.invitation.team, "acme");
  EXPECT_EQ(issued.invitation.created_by, "lead");
  const Result<bool> stored = database_->read([&](storage::Session& session) -> Result<bool> {
    const std::optional<storage::Row> row = TRY(
        session.queryOne("SELECT id FROM invitations WHERE digest = ?", {issued.token.reveal()}));
    return row.has_value();
  });
  EXPECT_FALSE(*stored);
  EXPECT_EQ(invitations_.find(issued.token)->id, issued.invitation.id);
  EXPECT_EQ(codeOf(invitations_.find(Secret("other"))), ErrorCode::kNotFound);
}

TEST_P(InvitationRepositoryTest, IsAcceptedAsOftenAsItSays) {
  const IssuedInvitation issued = invite(2);
  const User ada = person("ada");
  ASSERT_TRUE(invitations_.accept(issued.token, ada.id));
  EXPECT_EQ(teams_.findMember(acme_.id, ada.id)->membership.role, TeamRole::kViewer);
  EXPECT_EQ(reasonOf(invitations_.accept(issued.token, ada.id)), "already_member");
  EXPECT_EQ(reasonOf(invitations_.accept(issued.token, lead_.id)), "already_member");
  EXPECT_EQ(reasonOf(invitations_.acceptAsNewUser(issued.token, newUser("ada"), "hash")),
            "username_taken");
  const Result<User> bob = invitations_.acceptAsNewUser(issued.token, newUser("bob"), "hash");
  ASSERT_TRUE(bob);
  EXPECT_EQ(teams_.findMember(acme_.id, bob->id)->membership.role, TeamRole::kViewer);
  const std::vector<AuditEntry> accepted =
      audit_.list({.action = "invitation.accept"}, {.limit = 200, .after = {}})->items;
  ASSERT_EQ(accepted.size(), 2U);
  EXPECT_EQ(accepted.front().actor, "bob");
  EXPECT_EQ(accepted.back().actor, "ada");
  EXPECT_EQ(codeOf(invitations_.find(issued.token)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(invitations_.acceptAsNewUser(issued.token, newUser("eve"), "hash")),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(users_.findByUsername("eve")), ErrorCode::kNotFound);
}

TEST_P(InvitationRepositoryTest, EndsByTimeRevocationAndWithItsTeam) {
  const IssuedInvitation late = invite();
  clock_.advance(std::chrono::hours(24));
  EXPECT_EQ(codeOf(invitations_.find(late.token)), ErrorCode::kNotFound);
  EXPECT_TRUE(invitations_.list(acme_.id, {})->items.empty());

  const IssuedInvitation revoked = invite();
  EXPECT_EQ(codeOf(invitations_.remove("team_other", revoked.invitation.id)), ErrorCode::kNotFound);
  ASSERT_TRUE(invitations_.remove(acme_.id, revoked.invitation.id));
  EXPECT_EQ(codeOf(invitations_.find(revoked.token)), ErrorCode::kNotFound);

  const IssuedInvitation orphan = invite();
  ASSERT_TRUE(teams_.remove("acme", true));
  EXPECT_EQ(codeOf(invitations_.find(orphan.token)), ErrorCode::kNotFound);
}

TEST_P(InvitationRepositoryTest, EndsWithTheRightsOfItsCreator) {
  const User other = person("other");
  join(acme_, other, TeamRole::kAdmin);
  const auto refused = [&](const Secret& token) {
    return codeOf(invitations_.find(token)) == ErrorCode::kNotFound &&
           codeOf(invitations_.accept(token, person("p" + std::to_string(++people_)).id)) ==
               ErrorCode::kNotFound &&
           codeOf(invitations_.acceptAsNewUser(token, newUser("fresh"), "hash")) ==
               ErrorCode::kNotFound &&
           invitations_.list(acme_.id, {})->items.empty();
  };
  const Secret token = invite().token;
  UserChange suspension;
  suspension.suspended = true;
  ASSERT_TRUE(users_.update(lead_.id, suspension));
  EXPECT_TRUE(refused(token));
  suspension.suspended = false;
  ASSERT_TRUE(users_.update(lead_.id, suspension));
  EXPECT_TRUE(invitations_.find(token));

  ASSERT_TRUE(teams_.putMember(acme_.id, lead_.id, TeamRole::kMember));
  EXPECT_TRUE(refused(token));
  ASSERT_TRUE(teams_.removeMember(acme_.id, lead_.id));
  EXPECT_TRUE(refused(token));

  UserChange promotion;
  promotion.organization_admin = true;
  ASSERT_TRUE(users_.update(lead_.id, promotion));
  EXPECT_TRUE(invitations_.find(token)) << "an organization admin needs no membership";
  const User admin = person("admin", true);
  ASSERT_TRUE(users_.remove(lead_.id));
  EXPECT_TRUE(refused(token));
}

TEST_P(InvitationRepositoryTest, CountsOnlyInvitationsThatAreListed) {
  const Secret token = invite().token;
  const User other = person("other");
  join(acme_, other, TeamRole::kAdmin);
  ASSERT_TRUE(teams_.removeMember(acme_.id, lead_.id));
  NewInvitation fresh;
  fresh.team_id = acme_.id;
  fresh.creator_id = other.id;
  fresh.expires_at = clock_.now() + std::chrono::hours(24);
  ASSERT_TRUE(invitations_.insert(fresh));
  join(acme_, lead_, TeamRole::kAdmin);
  EXPECT_EQ(codeOf(invitations_.find(token)), ErrorCode::kNotFound);
}

TEST_P(InvitationRepositoryTest, RefusesServiceAccounts) {
  const Team other = team("other", lead_);
  const ApiKeyRepository::NewAccount robot = serviceAccount(other, "robot");
  EXPECT_EQ(reasonOf(invitations_.accept(invite().token, robot.account.id)), "service_account");
}

SPINDLE_ON_BOTH_ENGINES(InvitationRepositoryTest);

}  // namespace
}  // namespace spindle::identity
