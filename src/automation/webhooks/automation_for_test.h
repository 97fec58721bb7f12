#pragma once

#include <string>

#include <gtest/gtest.h>

#include "automation/rules/automation_repository.h"
#include "automation/rules/migrations.h"
#include "automation/webhooks/secret_store.h"
#include "automation/webhooks/webhook_repository.h"
#include "events/migrations.h"
#include "identity/store/identity_for_test.h"
#include "registry/repositories/migrations.h"

namespace spindle::automation {

/// Fixture with the repositories of this area and an empty database of the engine under test, with
/// a team `acme` and its project `lab`.
class AutomationContract : public identity::IdentityTest {
 protected:
  static constexpr std::int64_t kPerProject = 3;

  void SetUp() override {
    database_->migrate({identity::identitySchema(), events::eventsSchema(),
                        registry::registrySchema(), automationSchema()},
                       clock_.now());
    lead_ = person("lead");
    acme_ = team("acme", lead_);
    lab_ = project(acme_, "lab", lead_);
  }

  /// Advances the clock by a second, so that ids are in order.
  void tick() { clock_.advance(std::chrono::seconds(1)); }

  SecretEntry secret(const std::string& name, const std::string& value) {
    tick();
    Result<SecretEntry> entry = secrets_.insert({acme_.id, name}, Secret(value));
    EXPECT_TRUE(entry) << name;
    return *std::move(entry);
  }
  Webhook webhook(const WebhookSettings& settings) {
    tick();
    Result<Webhook> made = webhooks_.insert(acme_.id, settings);
    EXPECT_TRUE(made) << settings.name;
    return *std::move(made);
  }
  static WebhookSettings settingsOf(const std::string& name) {
    WebhookSettings settings;
    settings.name = name;
    settings.url_endpoint = "https://hooks.example.com/" + name;
    return settings;
  }
  AutomationDraft draftOf(const std::string& name) {
    AutomationDraft draft;
    draft.name = name;
    draft.scope = {ScopeType::kProject, acme_.id, "acme", lab_.id, "lab"};
    draft.event_type = EventType::kLinkArtifact;
    draft.event = R"({"type":"LINK_ARTIFACT"})";
    return draft;
  }

  identity::User lead_;
  identity::Team acme_;
  identity::Project lab_;
  SecretStore secrets_{*database_, clock_, sha256("secrets")};
  WebhookRepository webhooks_{*database_, clock_};
  AutomationRepository automations_{*database_, clock_, kPerProject};
};

}  // namespace spindle::automation
