#include "identity/store/user_repository.h"

#include <thread>

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class UserRepositoryTest : public IdentityTest {};

TEST_P(UserRepositoryTest, FindsByIdAndByNameIgnoringCase) {
  NewUser fresh;
  fresh.username = "Ann.Lee";
  fresh.email = "Ann@Example.com";
  fresh.name = "Ann Lee ☃";
  const Result<User> stored = users_.insert(fresh);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->id.substr(0, 4), "usr_");
  EXPECT_EQ(stored->id.size(), 30U);
  for (const Result<User>& found : {users_.find(stored->id), users_.findByUsername("ann.LEE")}) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id, stored->id);
    EXPECT_EQ(found->username, "Ann.Lee");
    EXPECT_EQ(found->email, "Ann@Example.com");
    EXPECT_EQ(found->name, "Ann Lee ☃");
    EXPECT_EQ(found->kind, UserKind::kUser);
    EXPECT_FALSE(found->organization_admin);
    EXPECT_EQ(found->created_at, clock_.now());
  }
  EXPECT_EQ(codeOf(users_.find("usr_none")), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(users_.findByUsername("bob")), ErrorCode::kNotFound);
}

TEST_P(UserRepositoryTest, RequiresUniqueNamesAndAddresses) {
  NewUser fresh;
  fresh.username = "ann";
  fresh.email = "ann@example.com";
  ASSERT_TRUE(users_.insert(fresh));
  fresh.email = "other@example.com";
  fresh.username = "ANN";
  EXPECT_EQ(reasonOf(users_.insert(fresh)), "username_taken");
  fresh.username = "bob";
  fresh.email = "ANN@example.com";
  EXPECT_EQ(reasonOf(users_.insert(fresh)), "email_taken");
  fresh.email.reset();
  EXPECT_TRUE(users_.insert(fresh));
  fresh.username = "carl";
  EXPECT_TRUE(users_.insert(fresh)) << "any number of users have no address";
}

TEST_P(UserRepositoryTest, RejectsInvalidNames) {
  NewUser fresh;
  fresh.username = "not a name";
  EXPECT_EQ(codeOf(users_.insert(fresh)), ErrorCode::kInvalidArgument);
  fresh.username = "fine";
  fresh.email = "nowhere";
  EXPECT_EQ(codeOf(users_.insert(fresh)), ErrorCode::kInvalidArgument);
}

TEST_P(UserRepositoryTest, ListsNewestFirstInPages) {
  for (const char* name : {"a1", "a2", "b%", "a3", "a4"}) {
    NewUser fresh;
    fresh.username = name == std::string("b%") ? "b.x" : name;
    if (name == std::string("b%")) fresh.email = "50%_off@example.com";
    clock_.advance(std::chrono::milliseconds(1));
    ASSERT_TRUE(users_.insert(fresh));
  }
  std::string order;
  PageRequest page;
  page.limit = 2;
  for (;;) {
    const Result<Page<User>> found = users_.list("", page);
    ASSERT_TRUE(found);
    for (const User& user : found->items) order += user.username + " ";
    order += "| ";
    if (!found->next) break;
    page.after = *found->next;
  }
  EXPECT_EQ(order, "a4 a3 | b.x a2 | a1 | ");
  const auto count = [&](const char* text) { return users_.list(text, {})->items.size(); };
  EXPECT_EQ(count("A"), 5U) << "in any case, addresses too";
  EXPECT_EQ(count("a3"), 1U);
  EXPECT_EQ(count("%"), 1U) << "the text is no pattern";
  EXPECT_EQ(count("_OFF"), 1U);
  EXPECT_EQ(count("\\"), 0U);
}

TEST_P(UserRepositoryTest, KeepsAnOrganizationAdmin) {
  const User first = person("first", true);
  const User second = person("second");
  EXPECT_EQ(reasonOf(users_.setOrganizationAdmin(first.id, false)), "last_admin");
  const Result<User> raised = users_.setOrganizationAdmin(second.id, true);
  ASSERT_TRUE(raised);
  EXPECT_TRUE(raised->organization_admin);
  EXPECT_EQ(raised->version, 2);
  EXPECT_TRUE(users_.setOrganizationAdmin(first.id, false));
  EXPECT_EQ(reasonOf(users_.setOrganizationAdmin(second.id, false)), "last_admin");
  EXPECT_EQ(codeOf(users_.setOrganizationAdmin("usr_none", true)), ErrorCode::kNotFound);
}

TEST_P(UserRepositoryTest, KeepsAnAdminUnderConcurrency) {
  const User first = person("first", true);
  const User second = person("second", true);
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(users_.setOrganizationAdmin(first.id, true));
    ASSERT_TRUE(users_.setOrganizationAdmin(second.id, true));
    std::jthread other([&] { (void)users_.setOrganizationAdmin(first.id, false); });
    (void)users_.setOrganizationAdmin(second.id, false);
    other.join();
    EXPECT_NE(users_.find(first.id)->organization_admin,
              users_.find(second.id)->organization_admin);
  }
}

TEST_P(UserRepositoryTest, IsEmptyAtFirst) {
  EXPECT_TRUE(*users_.isEmpty());
  person("ann");
  EXPECT_FALSE(*users_.isEmpty());
}

SPINDLE_ON_BOTH_ENGINES(UserRepositoryTest);

}  // namespace
}  // namespace spindle::identity
