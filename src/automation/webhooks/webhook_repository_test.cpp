#include "automation/webhooks/webhook_repository.h"

#include "automation/webhooks/automation_for_test.h"

namespace spindle::automation {
namespace {

class WebhookRepositoryTest : public AutomationContract {};

TEST_P(WebhookRepositoryTest, StoresAllProperties) {
  secret("TOKEN", "t");
  secret("KEY", "k");
  WebhookSettings settings = settingsOf("deploy");
  settings.access_token_ref = "TOKEN";
  settings.secret_ref = "KEY";
  settings.max_concurrency = 2;
  const Webhook made = webhook(settings);
  EXPECT_TRUE(made.id.starts_with("wh_"));
  const Result<Webhook> found = webhooks_.find({acme_.id, made.id});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->team, "acme");
  EXPECT_EQ(found->url_endpoint, "https://hooks.example.com/deploy");
  EXPECT_EQ(found->access_token_ref, "TOKEN");
  EXPECT_EQ(found->max_concurrency, 2);
  EXPECT_EQ(found->status, WebhookStatus::kActive);
  EXPECT_EQ(found->names().secret, "KEY");
  EXPECT_TRUE(webhooks_.findAnywhere(made.id));
  EXPECT_EQ(codeOf(webhooks_.find({"other", made.id})), ErrorCode::kNotFound);
}

TEST_P(WebhookRepositoryTest, RejectsUnknownSecrets) {
  WebhookSettings settings = settingsOf("deploy");
  settings.access_token_ref = "TOKEN";
  settings.secret_ref = "KEY";
  const Result<Webhook> refused = webhooks_.insert(acme_.id, settings);
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().violations().size(), 2U);
  EXPECT_EQ(refused.error().violations()[0].type, "unknown_reference");
  EXPECT_FALSE(webhooks_.checkReferences(acme_.id, settings));
}

TEST_P(WebhookRepositoryTest, RequiresUniqueNames) {
  webhook(settingsOf("one"));
  const Webhook two = webhook(settingsOf("two"));
  EXPECT_EQ(reasonOf(webhooks_.insert(acme_.id, settingsOf("one"))), "webhook_name_taken");
  EXPECT_EQ(reasonOf(webhooks_.update({acme_.id, two.id}, {.name = "one"})), "webhook_name_taken");
  EXPECT_TRUE(webhooks_.update({acme_.id, two.id}, {.name = "two"}));
}

TEST_P(WebhookRepositoryTest, UpdatesOnlyGivenMembers) {
  secret("KEY", "k");
  WebhookSettings settings = settingsOf("one");
  settings.secret_ref = "KEY";
  const Webhook made = webhook(settings);
  Result<Webhook> changed =
      webhooks_.update({acme_.id, made.id}, {.status = WebhookStatus::kDisabled}, 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->disabled_reason, "manual");
  EXPECT_EQ(changed->secret_ref, "KEY");
  EXPECT_EQ(changed->version, 2);
  EXPECT_EQ(codeOf(webhooks_.update({acme_.id, made.id}, {}, 1)), ErrorCode::kPreconditionFailed);
  changed = webhooks_.update({acme_.id, made.id}, {.secret_ref = std::optional<std::string>(),
                                                   .status = WebhookStatus::kActive});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->secret_ref, std::nullopt);
  EXPECT_EQ(changed->disabled_reason, std::nullopt);
}

TEST_P(WebhookRepositoryTest, UpdatesWithAMissingSecret) {
  secret("KEY", "k");
  WebhookSettings settings = settingsOf("one");
  settings.secret_ref = "KEY";
  const Webhook made = webhook(settings);
  ASSERT_TRUE(secrets_.remove({acme_.id, "KEY"}, true));
  EXPECT_TRUE(webhooks_.update({acme_.id, made.id}, {.name = "renamed"}));
  EXPECT_FALSE(
      webhooks_.update({acme_.id, made.id}, {.secret_ref = std::optional<std::string>("KEY")}));
}

TEST_P(WebhookRepositoryTest, RefusesToDeleteUsedWebhooks) {
  const Webhook made = webhook(settingsOf("one"));
  AutomationDraft draft = draftOf("uses it");
  draft.action = {ActionType::kWebhook, made.id};
  const Result<Automation> user = automations_.insert(draft, lead_.id);
  ASSERT_TRUE(user);
  const Result<void> refused = webhooks_.remove({acme_.id, made.id});
  EXPECT_EQ(reasonOf(refused), "webhook_in_use");
  EXPECT_NE(refused.error().message().find(user->id), std::string::npos);
  ASSERT_TRUE(automations_.remove(user->id));
  EXPECT_TRUE(webhooks_.remove({acme_.id, made.id}));
  EXPECT_EQ(codeOf(webhooks_.remove({acme_.id, made.id})), ErrorCode::kNotFound);
}

TEST_P(WebhookRepositoryTest, ListsByStateAndPage) {
  const Webhook one = webhook(settingsOf("one"));
  webhook(settingsOf("two"));
  ASSERT_TRUE(webhooks_.update({acme_.id, one.id}, {.status = WebhookStatus::kDisabled}));
  EXPECT_EQ(webhooks_.list(acme_.id, std::nullopt, {})->items.size(), 2U);
  const auto disabled = webhooks_.list(acme_.id, WebhookStatus::kDisabled, {});
  ASSERT_EQ(disabled->items.size(), 1U);
  EXPECT_EQ(disabled->items[0].name, "one");
  const auto first = webhooks_.list(acme_.id, std::nullopt, {1, ""});
  EXPECT_EQ(first->items[0].name, "two");
  EXPECT_EQ(webhooks_.list(acme_.id, std::nullopt, {1, *first->next})->items[0].name, "one");
}

class AutomationRepositoryTest : public AutomationContract {
 protected:
  std::string namesOf(const AutomationFilter& filter, const std::string& hidden = "none") {
    const auto sees = [&](const Scope& scope) -> Result<bool> { return scope.project != hidden; };
    std::string names;
    std::string after;
    do {
      const auto page = automations_.list(filter, sees, {1, after});
      for (const Automation& automation : page->items) names += automation.draft.name + " ";
      after = page->next.value_or("");
    } while (!after.empty());
    return names;
  }
};

TEST_P(AutomationRepositoryTest, StoresAllProperties) {
  const Webhook hook = webhook(settingsOf("hook"));
  AutomationDraft draft = draftOf("deploy");
  draft.description = "to production";
  draft.enabled = false;
  draft.action = {ActionType::kWebhook, hook.id, "message_card", R"({"a":1})"};
  const Result<Automation> made = automations_.insert(draft, lead_.id);
  ASSERT_TRUE(made);
  const Result<Automation> found = automations_.find(made->id);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->id.starts_with("auto_"));
  EXPECT_EQ(found->created_by, "lead");
  EXPECT_EQ(found->draft.scope.project, "lab");
  EXPECT_EQ(found->draft.scope.team, "acme");
  EXPECT_EQ(found->draft.description, "to production");
  EXPECT_FALSE(found->draft.enabled);
  EXPECT_EQ(found->draft.event, draft.event);
  EXPECT_EQ(found->draft.action.preset, "message_card");
  EXPECT_EQ(found->draft.action.payload, R"({"a":1})");
  EXPECT_FALSE(found->updated_at);
  EXPECT_FALSE(found->last_executed_at);
}

TEST_P(AutomationRepositoryTest, RequiresUniqueNamesInTheOwningEntity) {
  ASSERT_TRUE(automations_.insert(draftOf("same"), lead_.id));
  EXPECT_EQ(reasonOf(automations_.insert(draftOf("same"), lead_.id)), "automation_name_taken");
  AutomationDraft wide = draftOf("same");
  wide.scope = {ScopeType::kTeam, acme_.id, "acme"};
  EXPECT_EQ(reasonOf(automations_.insert(wide, lead_.id)), "automation_name_taken");
  wide.scope = {};
  EXPECT_TRUE(automations_.insert(wide, lead_.id));
  EXPECT_EQ(reasonOf(automations_.insert(wide, lead_.id)), "automation_name_taken");
}

TEST_P(AutomationRepositoryTest, LimitsAutomationsOfAProject) {
  for (const char* name : {"a", "b", "c"})
    ASSERT_TRUE(automations_.insert(draftOf(name), lead_.id));
  EXPECT_EQ(reasonOf(automations_.insert(draftOf("d"), lead_.id)), "automation_limit");
}

TEST_P(AutomationRepositoryTest, UpdatesAndDeletes) {
  const Result<Automation> made = automations_.insert(draftOf("before"), lead_.id);
  ASSERT_TRUE(made);
  tick();
  const Result<Automation> changed = automations_.update(made->id, draftOf("after"), 1);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->draft.name, "after");
  EXPECT_EQ(changed->version, 2);
  EXPECT_EQ(changed->updated_at, clock_.now());
  EXPECT_EQ(codeOf(automations_.update(made->id, draftOf("x"), 1)), ErrorCode::kPreconditionFailed);
  EXPECT_EQ(codeOf(automations_.remove(made->id, 1)), ErrorCode::kPreconditionFailed);
  EXPECT_TRUE(automations_.remove(made->id, 2));
  EXPECT_EQ(codeOf(automations_.find(made->id)), ErrorCode::kNotFound);
}

TEST_P(AutomationRepositoryTest, ListsByFilter) {
  const identity::Project other = project(acme_, "other", lead_);
  ASSERT_TRUE(automations_.insert(draftOf("one"), lead_.id));
  tick();
  AutomationDraft two = draftOf("two");
  two.scope = {ScopeType::kProject, acme_.id, "acme", other.id, "other"};
  two.enabled = false;
  two.event_type = EventType::kRunState;
  ASSERT_TRUE(automations_.insert(two, lead_.id));
  tick();
  AutomationDraft three = draftOf("three");
  three.scope = {ScopeType::kTeam, acme_.id, "acme"};
  ASSERT_TRUE(automations_.insert(three, lead_.id));
  tick();
  AutomationDraft four = draftOf("four");
  four.scope = {};
  ASSERT_TRUE(automations_.insert(four, lead_.id));
  EXPECT_EQ(namesOf({}), "four three two one ");
  EXPECT_EQ(namesOf({}, "other"), "four three one ");
  EXPECT_EQ(namesOf({.name = "one"}), "one ");
  EXPECT_EQ(namesOf({.scope_type = ScopeType::kOrganization}), "four ");
  EXPECT_EQ(namesOf({.team = "acme"}), "three two one ");
  EXPECT_EQ(namesOf({.project = "other"}), "two ");
  EXPECT_EQ(namesOf({.event_type = EventType::kRunState}), "two ");
  EXPECT_EQ(namesOf({.action_type = ActionType::kWebhook}), "");
  EXPECT_EQ(namesOf({.enabled = false}), "two ");
  EXPECT_EQ(namesOf({.created_by = "lead"}), "four three two one ");
  EXPECT_EQ(namesOf({.created_by = "nobody"}), "");
}

TEST_P(AutomationRepositoryTest, AreDeletedWithTheProjectButNotWithTheWebhook) {
  const identity::Team friends = team("friends", lead_);
  const Result<Webhook> hook = webhooks_.insert(friends.id, settingsOf("hook"));
  ASSERT_TRUE(hook);
  AutomationDraft draft = draftOf("one");
  draft.action = {ActionType::kWebhook, hook->id};
  const Result<Automation> made = automations_.insert(draft, lead_.id);
  ASSERT_TRUE(made);
  ASSERT_TRUE(teams_.remove("friends", true));
  EXPECT_EQ(automations_.find(made->id)->draft.action.webhook_id, std::nullopt);
  ASSERT_TRUE(projects_.remove(lab_.id));
  EXPECT_EQ(codeOf(automations_.find(made->id)), ErrorCode::kNotFound);
}

SPINDLE_ON_BOTH_ENGINES(WebhookRepositoryTest);
SPINDLE_ON_BOTH_ENGINES(AutomationRepositoryTest);

}  // namespace
}  // namespace spindle::automation
