#include "inference/limits/limit_repository.h"

#include "identity/store/identity_for_test.h"
#include "inference/catalogue/migrations.h"
#include "inference/limits/limit_cache.h"

namespace spindle::inference {
namespace {

class UsageLimits : public identity::IdentityTest {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), inferenceSchema()}, clock_.now());
    lead_ = person("lead");
    acme_ = team("acme", lead_);
    lab_ = project(acme_, "lab", lead_);
  }

  /// Advances the clock by a second, so that ids are in order.
  void tick() { clock_.advance(std::chrono::seconds(1)); }

  UsageLimit ofProject(const identity::Project& project) {
    UsageLimit limit;
    limit.scope = LimitScope::kProject;
    limit.subject_id = project.id;
    limit.concurrency = 4;
    return limit;
  }
  UsageLimit ofKey(const std::string& key_id) {
    UsageLimit limit;
    limit.scope = LimitScope::kKey;
    limit.subject_id = key_id;
    limit.requests_per_minute = 60;
    return limit;
  }
  LimitEntry limit(const UsageLimit& draft) {
    tick();
    Result<LimitEntry> made = limits_.insert(draft);
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  std::string subjects(const LimitFilter& filter) {
    std::string text;
    std::string after;
    do {
      const auto page = limits_.list(filter, {1, after});
      for (const LimitEntry& entry : page->items) {
        text += (entry.project.empty() ? entry.key_name : entry.project) + " ";
      }
      after = page->next.value_or("");
    } while (!after.empty());
    return text;
  }

  identity::User lead_;
  identity::Team acme_;
  identity::Project lab_;
  LimitRepository limits_{*database_, clock_};
};

TEST_P(UsageLimits, AreStoredWithAllFields) {
  UsageLimit draft = ofProject(lab_);
  draft.tokens_per_minute = 1000;
  draft.budget_usd = 12.5;
  draft.period = BudgetPeriod::kDay;
  const LimitEntry made = limit(draft);
  EXPECT_TRUE(made.limit.id.starts_with("lim_"));
  const Result<LimitEntry> found = limits_.find(made.limit.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->limit.scope, LimitScope::kProject);
  EXPECT_EQ(found->limit.subject_id, lab_.id);
  EXPECT_EQ(found->limit.concurrency, 4);
  EXPECT_EQ(found->limit.requests_per_minute, std::nullopt);
  EXPECT_EQ(found->limit.tokens_per_minute, 1000);
  EXPECT_EQ(found->limit.budget_usd, 12.5);
  EXPECT_EQ(found->limit.period, BudgetPeriod::kDay);
  EXPECT_EQ(found->team, "acme");
  EXPECT_EQ(found->project, "lab");
  EXPECT_EQ(codeOf(limits_.find("lim_none")), ErrorCode::kNotFound);
}

TEST_P(UsageLimits, OfKeysContainTheirOwner) {
  const identity::IssuedKey issued = key(lead_, "laptop");
  const LimitEntry made = limit(ofKey(issued.key.key_id));
  EXPECT_EQ(made.limit.scope, LimitScope::kKey);
  EXPECT_EQ(made.key_name, "laptop");
  EXPECT_EQ(made.owner, "lead");
  EXPECT_EQ(made.owner_id, lead_.id);
  EXPECT_FALSE(made.owner_team_id);
  const Result<LimitEntry> whose = limits_.findKey(issued.key.key_id);
  ASSERT_TRUE(whose);
  EXPECT_EQ(whose->owner_id, lead_.id);
  EXPECT_EQ(codeOf(limits_.findKey("spk_none")), ErrorCode::kNotFound);
}

TEST_P(UsageLimits, AreUniquePerSubject) {
  const identity::IssuedKey issued = key(lead_, "laptop");
  limit(ofProject(lab_));
  limit(ofKey(issued.key.key_id));
  EXPECT_EQ(reasonOf(limits_.insert(ofProject(lab_))), "limit_exists");
  EXPECT_EQ(reasonOf(limits_.insert(ofKey(issued.key.key_id))), "limit_exists");
  EXPECT_EQ(codeOf(limits_.insert(ofKey("spk_none"))), ErrorCode::kConflict);
}

TEST_P(UsageLimits, ChangeOnlyGivenMembers) {
  const LimitEntry made = limit(ofProject(lab_));
  tick();
  Result<LimitEntry> changed =
      limits_.update(made.limit.id, {.budget_usd = std::optional<double>(3)}, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->limit.concurrency, 4);
  EXPECT_EQ(changed->limit.budget_usd, 3.0);
  EXPECT_EQ(changed->limit.version, 2);
  EXPECT_EQ(changed->limit.updated_at, clock_.now());
  EXPECT_EQ(codeOf(limits_.update(made.limit.id, {}, 1)), ErrorCode::kPreconditionFailed);
  changed = limits_.update(made.limit.id, {.concurrency = std::optional<std::int64_t>(),
                                           .period = BudgetPeriod::kTotal});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->limit.concurrency, std::nullopt);
  EXPECT_EQ(changed->limit.period, BudgetPeriod::kTotal);
}

TEST_P(UsageLimits, AreRemovedWithTheirSubject) {
  const identity::IssuedKey issued = key(lead_, "laptop");
  const LimitEntry of_project = limit(ofProject(lab_));
  const LimitEntry of_key = limit(ofKey(issued.key.key_id));
  EXPECT_EQ(codeOf(limits_.remove(of_project.limit.id, 9)), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(limits_.remove(of_project.limit.id, 1));
  EXPECT_EQ(codeOf(limits_.remove(of_project.limit.id)), ErrorCode::kNotFound);
  ASSERT_TRUE(keys_.remove(issued.key.id));
  EXPECT_EQ(codeOf(limits_.find(of_key.limit.id)), ErrorCode::kNotFound);
  const LimitEntry again = limit(ofProject(lab_));
  ASSERT_TRUE(projects_.remove(lab_.id));
  EXPECT_EQ(codeOf(limits_.find(again.limit.id)), ErrorCode::kNotFound);
}

TEST_P(UsageLimits, AreVisibleToOwnersMembersAndAdmins) {
  const identity::User member = person("member");
  const identity::User stranger = person("stranger");
  join(acme_, member, identity::TeamRole::kMember);
  const identity::Project hidden =
      project(acme_, "hidden", lead_, identity::Visibility::kRestricted);
  const auto account = keys_.issueForServiceAccount({.description = "bot", .team_id = acme_.id});
  ASSERT_TRUE(account);
  limit(ofProject(lab_));
  limit(ofProject(hidden));
  limit(ofKey(key(member, "members").key.key_id));
  limit(ofKey(account->key.key.key_id));
  const std::string bots = account->key.key.name;
  EXPECT_EQ(subjects({}), bots + " members hidden lab ");
  EXPECT_EQ(subjects({.seen_by = lead_.id}), bots + " hidden lab ");
  EXPECT_EQ(subjects({.seen_by = member.id}), "members lab ");
  EXPECT_EQ(subjects({.seen_by = stranger.id}), "");
  EXPECT_EQ(subjects({.project_id = lab_.id}), "lab ");
  EXPECT_EQ(subjects({.key_id = account->key.key.key_id}), bots + " ");
  EXPECT_EQ(subjects({.project_id = lab_.id, .seen_by = stranger.id}), "");
}

TEST_P(UsageLimits, AreCachedUntilRefresh) {
  LimitCache directory(limits_);
  ASSERT_TRUE(directory.refresh());
  EXPECT_EQ(directory.current()->ofProject(lab_.id), nullptr);
  const LimitEntry made = limit(ofProject(lab_));
  const std::string key_id = key(lead_, "laptop").key.key_id;
  limit(ofKey(key_id));
  EXPECT_EQ(directory.current()->ofProject(lab_.id), nullptr);
  ASSERT_TRUE(directory.refresh());
  const std::shared_ptr<const Limits> known = directory.current();
  ASSERT_NE(known->ofProject(lab_.id), nullptr);
  EXPECT_EQ(known->ofProject(lab_.id)->concurrency, 4);
  ASSERT_NE(known->ofKey(key_id), nullptr);
  EXPECT_EQ(known->ofKey(lab_.id), nullptr);
  ASSERT_TRUE(directory.refresh());
  EXPECT_EQ(directory.current(), known) << "nothing has changed";
  ASSERT_TRUE(limits_.update(made.limit.id, {.period = BudgetPeriod::kDay}));
  ASSERT_TRUE(directory.refresh());
  EXPECT_EQ(directory.current()->ofProject(lab_.id)->period, BudgetPeriod::kDay);
  ASSERT_TRUE(limits_.remove(made.limit.id));
  ASSERT_TRUE(directory.refresh());
  EXPECT_EQ(directory.current()->ofProject(lab_.id), nullptr);
}

TEST(BudgetPeriods, HaveNames) {
  for (const BudgetPeriod period :
       {BudgetPeriod::kDay, BudgetPeriod::kMonth, BudgetPeriod::kTotal}) {
    EXPECT_EQ(keyOf(kBudgetPeriods, textOf(period)), period);
  }
  EXPECT_FALSE(keyOf(kBudgetPeriods, "week"));
}

SPINDLE_ON_BOTH_ENGINES(UsageLimits);

}  // namespace
}  // namespace spindle::inference
