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
  EXPECT_EQ(reasonOf(users_.update(first.id, {.organization_admin = false})), "last_admin");
  const Result<User> raised = users_.update(second.id, {.organization_admin = true});
  ASSERT_TRUE(raised);
  EXPECT_TRUE(raised->organization_admin);
  EXPECT_EQ(raised->version, 2);
  EXPECT_TRUE(users_.update(first.id, {.organization_admin = false}));
  EXPECT_EQ(reasonOf(users_.update(second.id, {.organization_admin = false})), "last_admin");
  EXPECT_EQ(codeOf(users_.update("usr_none", {.organization_admin = true})), ErrorCode::kNotFound);
}

TEST_P(UserRepositoryTest, KeepsAnAdminUnderConcurrency) {
  const User first = person("first", true);
  const User second = person("second", true);
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(users_.update(first.id, {.organization_admin = true}));
    ASSERT_TRUE(users_.update(second.id, {.organization_admin = true}));
    std::jthread other([&] { (void)users_.update(first.id, {.organization_admin = false}); });
    (void)users_.update(second.id, {.organization_admin = false});
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

TEST_P(UserRepositoryTest, ChangesAndDeletesUsers) {
  const User root = person("root", true);
  const User ada = person("ada");
  UserChange change;
  change.name = "Ada";
  change.email = "ada@example.com";
  const Result<User> changed = users_.update(ada.id, change, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->name, "Ada");
  EXPECT_EQ(changed->email, "ada@example.com");
  EXPECT_EQ(changed->version, 2);
  EXPECT_EQ(codeOf(users_.update(ada.id, change, 1)), ErrorCode::kPreconditionFailed);
  EXPECT_EQ(reasonOf(users_.update(root.id, {.email = "ADA@example.com"})), "email_taken");
  EXPECT_EQ(codeOf(users_.update(root.id, {.email = "nobody"})), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(users_.update(ada.id, {.email = std::optional<std::string>()}));
  EXPECT_TRUE(users_.update(root.id, {.email = "ADA@example.com"}));

  EXPECT_EQ(codeOf(users_.remove(ada.id, 1)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(users_.remove(ada.id));
  EXPECT_EQ(codeOf(users_.find(ada.id)), ErrorCode::kNotFound);
  EXPECT_EQ(reasonOf(users_.remove(root.id)), "last_admin");
}

TEST_P(UserRepositoryTest, ASuspendedAdminDoesNotCountAsAdmin) {
  const User first = person("first", true);
  const User second = person("second", true);
  ASSERT_TRUE(users_.update(second.id, {.suspended = true}));
  EXPECT_EQ(reasonOf(users_.update(first.id, {.suspended = true})), "last_admin");
  EXPECT_EQ(reasonOf(users_.update(first.id, {.organization_admin = false})), "last_admin");
  EXPECT_EQ(reasonOf(users_.remove(first.id)), "last_admin");
  ASSERT_TRUE(users_.update(second.id, {.suspended = false}));
  EXPECT_TRUE(users_.remove(first.id));
}

TEST_P(UserRepositoryTest, KeysOfASuspendedUserHaveNoOwner) {
  const User ada = person("ada");
  const IssuedKey issued = key(ada, "laptop");
  const std::string digest = keys_.digestOf(issued.text.reveal());
  ASSERT_TRUE(users_.update(ada.id, {.suspended = true}));
  EXPECT_FALSE(keys_.findOwner(digest)->has_value());
  EXPECT_FALSE(*keys_.isValid(ada.id, issued.key.key_id));
  ASSERT_TRUE(users_.update(ada.id, {.suspended = false}));
  EXPECT_TRUE(keys_.findOwner(digest)->has_value());
  EXPECT_TRUE(*keys_.isValid(ada.id, issued.key.key_id));
}

SPINDLE_ON_BOTH_ENGINES(UserRepositoryTest);

}  // namespace
}  // namespace spindle::identity
