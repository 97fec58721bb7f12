#include "identity/store/api_key_repository.h"

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class ApiKeyRepositoryTest : public IdentityTest {
 protected:
  std::optional<ApiKeyOwner> ownerOf(std::string_view text) {
    const auto found = keys_.findOwner(keys_.digestOf(text));
    EXPECT_TRUE(found);
    return *found;
  }
};

TEST_P(ApiKeyRepositoryTest, StoresOnlyKeyedHashes) {
  const User ann = person("ann");
  const IssuedKey issued = key(ann, "laptop");
  const std::string text(issued.text.reveal());
  EXPECT_EQ(text.substr(0, issued.key.key_id.size() + 1), issued.key.key_id + "_");
  EXPECT_TRUE(isUsableKey(text));
  const std::optional<ApiKeyOwner> owner = ownerOf(text);
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->user_id, ann.id);
  EXPECT_EQ(owner->username, "ann");
  EXPECT_EQ(owner->key_id, issued.key.key_id);
  EXPECT_EQ(owner->api_key_id, issued.key.id);
  EXPECT_FALSE(ownerOf(text + "x"));
  const ApiKeyRepository elsewhere(*database_, clock_, sha256("another server key"));
  EXPECT_NE(elsewhere.digestOf(text), keys_.digestOf(text));
  const auto rows = database_->read(
      [](storage::Session& session) { return session.query("SELECT * FROM api_keys"); });
  for (int i = 0; i < static_cast<int>(rows->front().size()); ++i) {
    if (i == 5 || i == 6 || i == 7) continue;  // times
    EXPECT_EQ(rows->front().text(i).find(text.substr(17)), std::string::npos);
  }
}

TEST_P(ApiKeyRepositoryTest, RequiresUniqueNamesPerOwner) {
  const User ann = person("ann");
  key(ann, "laptop");
  key(person("bob"), "laptop");
  NewApiKey again;
  again.owner_id = ann.id;
  again.name = "laptop";
  EXPECT_EQ(codeOf(keys_.issue(again)), ErrorCode::kConflict);
  again.name = "";
  EXPECT_EQ(codeOf(keys_.issue(again)), ErrorCode::kInvalidArgument);
  again.name = "old";
  again.expires_at = clock_.now();
  EXPECT_EQ(codeOf(keys_.issue(again)), ErrorCode::kInvalidArgument);
  again.expires_at.reset();
  again.owner_id = "usr_none";
  EXPECT_EQ(codeOf(keys_.issue(again)), ErrorCode::kNotFound);
}

TEST_P(ApiKeyRepositoryTest, KeysAreValidUntilExpiryOrRevocation) {
  const User ann = person("ann");
  const User bob = person("bob");
  NewApiKey wanted;
  wanted.owner_id = ann.id;
  wanted.name = "short";
  wanted.expires_at = clock_.now() + std::chrono::hours(1);
  const Result<IssuedKey> expiring = keys_.issue(wanted);
  ASSERT_TRUE(expiring);
  const IssuedKey lasting = key(ann, "long");
  EXPECT_TRUE(*keys_.isValid(ann.id, expiring->key.key_id));
  EXPECT_TRUE(*keys_.isValid(ann.id, lasting.key.key_id));
  EXPECT_FALSE(*keys_.isValid(bob.id, lasting.key.key_id));
  EXPECT_FALSE(*keys_.isValid(ann.id, "spk_none"));
  clock_.advance(std::chrono::hours(1));
  EXPECT_FALSE(*keys_.isValid(ann.id, expiring->key.key_id));
  ASSERT_TRUE(keys_.remove(lasting.key.id));
  EXPECT_FALSE(*keys_.isValid(ann.id, lasting.key.key_id));
}

TEST_P(ApiKeyRepositoryTest, ListsAndRevokesKeys) {
  const User ann = person("ann");
  const IssuedKey first = key(ann, "first");
  clock_.advance(std::chrono::milliseconds(1));
  const IssuedKey second = key(ann, "second");
  const auto listed = keys_.list(ann.id, {});
  ASSERT_EQ(listed->items.size(), 2U);
  EXPECT_EQ(listed->items[0].name, "second");
  EXPECT_EQ(keys_.find(first.key.id)->owner_id, ann.id);
  EXPECT_TRUE(keys_.remove(first.key.id));
  EXPECT_EQ(codeOf(keys_.remove(first.key.id)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(keys_.find(first.key.id)), ErrorCode::kNotFound);
  EXPECT_FALSE(ownerOf(first.text.reveal()));
  EXPECT_TRUE(ownerOf(second.text.reveal()));
}

TEST_P(ApiKeyRepositoryTest, RecordsTheLastUse) {
  const IssuedKey issued = key(person("ann"), "laptop");
  EXPECT_EQ(issued.key.last_used_at, std::nullopt);
  const Timestamp later = clock_.now() + std::chrono::minutes(1);
  ASSERT_TRUE(keys_.recordUses({{issued.key.id, later}, {"key_none", later}}));
  ASSERT_TRUE(keys_.recordUses({{issued.key.id, clock_.now()}}));
  EXPECT_EQ(keys_.find(issued.key.id)->last_used_at, later) << "time does not run backwards";
}

TEST_P(ApiKeyRepositoryTest, IssuesKeysWithServiceAccounts) {
  const User ann = person("ann");
  const Team acme = team("acme", ann);
  NewServiceAccount fresh;
  fresh.description = "nightly evaluation";
  fresh.team_id = acme.id;
  const auto made = keys_.issueForServiceAccount(fresh);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->account.kind, UserKind::kService);
  EXPECT_EQ(made->account.scope, ServiceScope::kTeam);
  EXPECT_EQ(ownerOf(made->key.text.reveal())->user_id, made->account.id);
  const Result<User> stored = users_.find(made->account.id);
  EXPECT_EQ(stored->description, "nightly evaluation");
  EXPECT_EQ(stored->team_id, acme.id);
  EXPECT_EQ(teams_.findMember(acme.id, made->account.id)->membership.role, TeamRole::kMember);
  EXPECT_EQ(codeOf(keys_.issueForServiceAccount(fresh)), ErrorCode::kConflict);
  EXPECT_EQ(reasonOf(users_.update(made->account.id, {.organization_admin = true})),
            "service_account");
  fresh.team_id = "team_none";
  EXPECT_EQ(codeOf(keys_.issueForServiceAccount(fresh)), ErrorCode::kConflict);
  fresh.team_id.reset();
  const auto wide = keys_.issueForServiceAccount(fresh);
  ASSERT_TRUE(wide) << "the organization's accounts are apart from the team's";
  EXPECT_EQ(wide->account.scope, ServiceScope::kOrganization);
  EXPECT_EQ(codeOf(keys_.issueForServiceAccount(fresh)), ErrorCode::kConflict);
  fresh.description = "x";
  fresh.role = TeamRole::kViewer;
  EXPECT_EQ(codeOf(keys_.issueForServiceAccount(fresh)), ErrorCode::kInvalidArgument);
  fresh.role = TeamRole::kMember;
  fresh.description = "";
  EXPECT_EQ(codeOf(keys_.issueForServiceAccount(fresh)), ErrorCode::kInvalidArgument);
}

TEST_P(ApiKeyRepositoryTest, ChecksLengthAndCharactersOfKeys) {
  EXPECT_TRUE(isUsableKey(std::string(20, 'k')));
  EXPECT_FALSE(isUsableKey(std::string(19, 'k')));
  EXPECT_FALSE(isUsableKey(std::string(513, 'k')));
  EXPECT_FALSE(isUsableKey(std::string(20, 'k') + " k"));
  EXPECT_FALSE(isUsableKey(std::string(20, 'k') + "\n"));
  EXPECT_FALSE(isUsableKey(std::string(20, 'k') + "é"));
}

SPINDLE_ON_BOTH_ENGINES(ApiKeyRepositoryTest);

}  // namespace
}  // namespace spindle::identity
