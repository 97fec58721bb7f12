#include "identity/oidc/oidc_sign_in.h"

#include "http/client/egress_policy.h"
#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

TEST(NextPage, IsAPageOfTheConsole) {
  for (const char* page : {"/console", "/console/", "/console/p/a/b?x=1#y", "/console#code"}) {
    EXPECT_TRUE(isNextPage(page)) << page;
  }
  for (const char* page :
       {"", "/", "//evil.example.com", "https://evil.example.com", "/consolex", "/console/\\evil",
        "/console/ x", "/console\r\nx: y", "/console/\"", "console/", "/api/v1/me"}) {
    EXPECT_FALSE(isNextPage(page)) << page;
  }
  EXPECT_FALSE(isNextPage("/console/" + std::string(2000, 'a')));
}

class ExternalIdentityTest : public IdentityTest {
 protected:
  Result<User> signIn(const ExternalIdentity& identity, const ExternalUserRules& rules = {}) {
    return identities_.signIn(identity, rules, "sign-in " + std::to_string(++number_),
                              clock_.now() + std::chrono::minutes(10));
  }
  static ExternalIdentity identityOf(const std::string& subject) {
    ExternalIdentity identity;
    identity.issuer = "https://id.example.com";
    identity.subject = subject;
    return identity;
  }

  ExternalIdentityRepository identities_{*database_, clock_};
  int number_ = 0;
};

TEST_P(ExternalIdentityTest, ConnectsAVerifiedAddressOnceAndFollowsTheSubject) {
  const User ada = person("ada");
  ASSERT_TRUE(users_.update(ada.id, {.email = "ada@example.com"}));
  ExternalIdentity identity = identityOf("1");
  EXPECT_EQ(reasonOf(signIn(identity)), "no_user");
  identity.email = "ADA@example.com";
  EXPECT_EQ(signIn(identity)->id, ada.id);
  identity.email.reset();
  EXPECT_EQ(signIn(identity)->id, ada.id);
  ExternalIdentity other = identityOf("1");
  other.issuer = "https://other.example.com";
  EXPECT_EQ(reasonOf(signIn(other)), "no_user");
}

TEST_P(ExternalIdentityTest, ConnectsOneSubjectOfAnIssuerByAddress) {
  const User ada = person("ada");
  ASSERT_TRUE(users_.update(ada.id, {.email = "ada@example.com"}));
  ExternalIdentity identity = identityOf("1");
  identity.email = "ada@example.com";
  ASSERT_TRUE(signIn(identity));
  ExternalIdentity heir = identityOf("2");
  heir.email = identity.email;
  const ExternalUserRules rules{.create_users = true};
  EXPECT_EQ(reasonOf(signIn(heir)), "no_user");
  EXPECT_EQ(reasonOf(signIn(heir, rules)), "no_user");
  heir.issuer = "https://other.example.com";
  EXPECT_EQ(signIn(heir)->id, ada.id);
}

TEST_P(ExternalIdentityTest, DoesNotConnectOrganizationAdminsByAddress) {
  const User root = person("root", true);
  person("second", true);
  ASSERT_TRUE(users_.update(root.id, {.email = "root@example.com"}));
  ExternalIdentity identity = identityOf("1");
  identity.email = "root@example.com";
  const ExternalUserRules rules{.create_users = true};
  EXPECT_EQ(reasonOf(signIn(identity)), "no_user");
  EXPECT_EQ(reasonOf(signIn(identity, rules)), "no_user");
  ASSERT_TRUE(users_.update(root.id, {.organization_admin = false}));
  EXPECT_EQ(signIn(identity)->id, root.id);
  ASSERT_TRUE(users_.update(root.id, {.organization_admin = true}));
  EXPECT_EQ(signIn(identity)->id, root.id) << "a connected user stays connected";
}

TEST_P(ExternalIdentityTest, CreatesUsersWithDerivedNames) {
  const User lead = person("lead");
  const Team acme = team("acme", lead);
  const ExternalUserRules rules{.create_users = true, .team = "acme", .role = TeamRole::kViewer};
  ExternalIdentity identity = identityOf("1");
  identity.username_hint = "lead@example.com";
  identity.name = "A\nda";
  const Result<User> made = signIn(identity, rules);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->username, "lead-2");
  EXPECT_EQ(made->name, "A da");
  EXPECT_EQ(teams_.findMember(acme.id, made->id)->membership.role, TeamRole::kViewer);
  EXPECT_EQ(signIn(identity, rules)->id, made->id);

  ExternalIdentity strange = identityOf("2");
  strange.username_hint = "../<b>ö";
  EXPECT_EQ(signIn(strange, rules)->username, "b---");
  ExternalIdentity nameless = identityOf("3");
  EXPECT_EQ(signIn(nameless, rules)->username, "user");
}

TEST_P(ExternalIdentityTest, RefusesReplaysAndSuspendedUsers) {
  const ExternalUserRules rules{.create_users = true};
  const Timestamp end = clock_.now() + std::chrono::minutes(10);
  const Result<User> made = identities_.signIn(identityOf("1"), rules, "once", end);
  ASSERT_TRUE(made);
  EXPECT_EQ(reasonOf(identities_.signIn(identityOf("1"), rules, "once", end)), "replayed");
  ASSERT_TRUE(users_.update(made->id, {.suspended = true}));
  EXPECT_EQ(reasonOf(signIn(identityOf("1"))), "suspended");
  ASSERT_TRUE(users_.remove(made->id));
  EXPECT_EQ(reasonOf(signIn(identityOf("1"))), "no_user");
}

SPINDLE_ON_BOTH_ENGINES(ExternalIdentityTest);

}  // namespace
}  // namespace spindle::identity
