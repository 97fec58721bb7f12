#include "identity/access/admin_bootstrap.h"

#include <filesystem>

#include "identity/store/identity_for_test.h"
#include "storage/folder/data_folder.h"

namespace spindle::identity {
namespace {

class AdminBootstrapTest : public IdentityTest {
 protected:
  AdminKey start(const std::string& given = "") {
    return ensureAdmin(users_, keys_, folder_, Secret(given));
  }
  bool opens(std::string_view text) {
    const auto owner = keys_.findOwner(keys_.digestOf(text));
    return owner && owner->has_value() && (*owner)->username == kAdminUsername;
  }

  storage::FolderForTest temporary_;
  storage::DataFolder folder_{temporary_.path() + "/data"};
};

TEST_P(AdminBootstrapTest, CreatesAdminAndKeyOnce) {
  const AdminKey first = start();
  EXPECT_TRUE(first.fresh && first.valid);
  EXPECT_TRUE(opens(first.key.reveal()));
  const Result<User> admin = users_.findByUsername("admin");
  ASSERT_TRUE(admin);
  EXPECT_TRUE(admin->organization_admin);
  EXPECT_EQ(admin->id, first.user_id);
  EXPECT_EQ(folder_.read("admin-api-key"), std::string(first.key.reveal()) + "\n");
  EXPECT_EQ(std::filesystem::status(first.file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const AdminKey second = start();
  EXPECT_FALSE(second.fresh);
  EXPECT_EQ(second.key.reveal(), first.key.reveal());
  EXPECT_EQ(keys_.list(admin->id, {})->items.size(), 1U);
}

TEST_P(AdminBootstrapTest, RecoversFromACrashAfterWritingTheFile) {
  folder_.create("admin-api-key", "spk_aaaaaaaaaaaa_written-but-not-stored\n");
  const AdminKey admin = start();
  EXPECT_FALSE(admin.fresh);
  EXPECT_TRUE(admin.valid);
  EXPECT_TRUE(opens("spk_aaaaaaaaaaaa_written-but-not-stored"));
}

TEST_P(AdminBootstrapTest, UsesTheGivenKeyWithoutAFile) {
  const std::string given = "operator-chosen-key-1";
  const AdminKey admin = start(given);
  EXPECT_TRUE(admin.key.empty() && admin.file.empty());
  EXPECT_TRUE(opens(given));
  EXPECT_FALSE(folder_.read("admin-api-key"));
  start(given);
  EXPECT_EQ(keys_.list(admin.user_id, {})->items.size(), 1U);
}

TEST_P(AdminBootstrapTest, RevokesThePreviousGivenKey) {
  const std::string one = "operator-chosen-key-1";
  const std::string two = "operator-chosen-key-2";
  const AdminKey generated = start();
  start(one);
  start(two);
  EXPECT_FALSE(opens(one));
  EXPECT_TRUE(opens(two));
  EXPECT_TRUE(opens(generated.key.reveal())) << "the generated key is not the environment's";
  start(one);
  EXPECT_TRUE(opens(one));
  EXPECT_FALSE(opens(two));
}

TEST_P(AdminBootstrapTest, KeepsOtherKeysOfTheAdmin) {
  const AdminKey admin = start("operator-chosen-key-1");
  const IssuedKey own = key(*users_.find(admin.user_id), "environment");
  start("operator-chosen-key-2");
  EXPECT_TRUE(opens(own.text.reveal()));
}

TEST_P(AdminBootstrapTest, KeepsARevokedKeyOfTheFileRevoked) {
  const AdminKey first = start();
  const auto listed = keys_.list(first.user_id, {});
  ASSERT_TRUE(keys_.remove(listed->items.at(0).id));
  EXPECT_FALSE(start().valid);
  EXPECT_FALSE(opens(first.key.reveal()));
  std::filesystem::remove(first.file);
  const AdminKey fresh = start();
  EXPECT_TRUE(fresh.fresh && fresh.valid);
  EXPECT_TRUE(opens(fresh.key.reveal()));
}

TEST_P(AdminBootstrapTest, RejectsShortKeysAndKeysWithSpaces) {
  EXPECT_THROW(start("nineteen-characters"), std::runtime_error);
  EXPECT_THROW(start("a key with blanks in the middle"), std::runtime_error);
  EXPECT_THROW(start("a-key-with-a-line-end-behind\n"), std::runtime_error);
  EXPECT_TRUE(*users_.isEmpty());
}

TEST_P(AdminBootstrapTest, RejectsAFileWithoutAKey) {
  folder_.create("admin-api-key", "\n");
  EXPECT_THROW(start(), std::runtime_error);
}

TEST_P(AdminBootstrapTest, RejectsTheKeyOfAnotherUser) {
  const IssuedKey other = key(person("ann"), "laptop");
  EXPECT_THROW(start(std::string(other.text.reveal())), std::runtime_error);
}

SPINDLE_ON_BOTH_ENGINES(AdminBootstrapTest);

}  // namespace
}  // namespace spindle::identity
