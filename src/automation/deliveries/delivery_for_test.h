#pragma once

#include <memory>
#include <string>
#include <vector>

#include "automation/deliveries/delivery_engine.h"
#include "automation/deliveries/delivery_repository.h"
#include "automation/deliveries/delivery_store.h"
#include "automation/rules/event_spec_json.h"
#include "automation/webhooks/automation_for_test.h"
#include "automation/webhooks/webhook_client.h"
#include "events/outbox.h"
#include "http/client/client.h"
#include "http/testing/scripted_server.h"

namespace spindle::automation {

/// A fake endpoint that records requests and sends scripted responses.
class FakeEndpoint {
 public:
  /// `answers` are sent in order; the last one is repeated.
  explicit FakeEndpoint(std::vector<std::string> answers = {http::okResponse("")})
      : answers_(std::move(answers)), server_([this](auto& peer) { serve(peer); }) {}

  std::string url() const { return server_.url("/hook"); }
  std::vector<std::string> requests() {
    const MutexLock lock(mutex_);
    return requests_;
  }
  /// Returns the values of a header, request by request.
  std::vector<std::string> headers(const std::string& name) {
    std::vector<std::string> values;
    for (const std::string& request : requests()) {
      const std::size_t at = request.find("\r\n" + name + ": ");
      if (at == std::string::npos) continue;
      const std::size_t begin = at + name.size() + 4;
      values.push_back(request.substr(begin, request.find("\r\n", begin) - begin));
    }
    return values;
  }
  std::vector<std::string> bodies() {
    std::vector<std::string> texts;
    for (const std::string& request : requests()) {
      texts.push_back(request.substr(request.find("\r\n\r\n") + 4));
    }
    return texts;
  }

 private:
  void serve(http::ScriptedServer::Peer& peer) {
    for (std::string request = peer.readRequest(); !request.empty(); request = peer.readRequest()) {
      std::string answer;
      {
        const MutexLock lock(mutex_);
        const std::size_t index = std::min(requests_.size(), answers_.size() - 1);
        answer = answers_[index];
        requests_.push_back(std::move(request));
      }
      if (!peer.send(answer)) return;
    }
  }

  Mutex mutex_;
  const std::vector<std::string> answers_;
  std::vector<std::string> requests_ SPINDLE_GUARDED_BY(mutex_);
  http::ScriptedServer server_;
};

inline std::string statusOnly(int status, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "Content-Length: 0\r\n\r\n";
}

/// Fixture with a delivery engine and an empty database of the engine under test, with automations
/// in the project `lab` of the team `acme`.
class DeliveryContract : public AutomationContract {
 protected:
  static constexpr std::int64_t kManyPerProject = 1000;

  void SetUp() override {
    AutomationContract::SetUp();
    policy_.jitter = 0;
  }

  /// Returns the clocks of the workers.
  virtual Clocks clocks() const { return clock_; }

  /// Another worker on the same database.
  struct Worker {
    Worker(DeliveryContract& test, const std::string& name)
        : store(*test.database_, test.clocks(), test.policy_, name),
          engine({store, test.secrets_, test.client_, test.outbox_, test.clocks(), test.metrics_},
                 {.concurrency = 64, .version = "0.1.0"}) {}
    DeliveryStore store;
    DeliveryEngine engine;
  };

  /// Sends all due deliveries.
  void deliver() {
    if (!worker_) worker_ = std::make_unique<Worker>(*this, "worker");
    worker_->engine.runForTest();
  }

  Webhook hook(const std::string& name, const std::string& url, std::int64_t concurrency = 4) {
    WebhookSettings settings = settingsOf(name);
    settings.url_endpoint = url;
    settings.max_concurrency = concurrency;
    return webhook(settings);
  }
  Automation automation(const std::string& name,
                        const std::string& event,
                        const std::optional<Webhook>& webhook,
                        const std::optional<std::string>& payload = {}) {
    tick();
    AutomationDraft draft = draftOf(name);
    draft.event = event;
    draft.event_type = *eventTypeOf(eventSpecOf(event).type);
    if (webhook) draft.action = {ActionType::kWebhook, webhook->id, std::nullopt, payload};
    Result<Automation> made = many_.insert(draft, lead_.id);
    EXPECT_TRUE(made) << name;
    return *std::move(made);
  }
  std::string raiseEvent(EventType type,
                         const std::string& data,
                         const std::string& change_id = "") {
    events::NewEvent event;
    event.type = type;
    event.subject.team_id = acme_.id;
    event.subject.project_id = lab_.id;
    event.author = "anna";
    event.data = data;
    event.change_id = change_id;
    const Result<std::string> id =
        outbox_.write([&](storage::Session& session) { return outbox_.append(session, event); });
    EXPECT_TRUE(id);
    return *id;
  }
  std::string addAlias(const std::string& alias) {
    return raiseEvent(EventType::kAddArtifactAlias, R"({"alias":")" + alias + R"("})");
  }

  std::vector<Delivery> deliveries(const DeliveryFilter& filter = {}) {
    const auto all = [](const Scope&) -> Result<bool> { return true; };
    Result<identity::Page<Delivery>> page = log_.list(filter, all, {.limit = 200, .after = ""});
    EXPECT_TRUE(page);
    return page ? std::move(page->items) : std::vector<Delivery>();
  }
  /// Returns the states of all deliveries, oldest first.
  std::string statuses() {
    std::string text;
    const std::vector<Delivery> all = deliveries();
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      text += std::string(textOf(at->status)) + (at->last_error ? ":" + at->last_error->code : "") +
              " ";
    }
    return text;
  }
  std::vector<DeliveryAttempt> attemptsOf(const Delivery& delivery) {
    Result<std::vector<DeliveryAttempt>> attempts = log_.attempts(delivery);
    EXPECT_TRUE(attempts);
    return attempts ? *std::move(attempts) : std::vector<DeliveryAttempt>();
  }

  static constexpr const char* kAnyAlias = R"({"type":"ADD_ARTIFACT_ALIAS","alias_regex":""})";

  MetricRegistry metrics_;
  DeliveryPolicy policy_;
  http::Client http_client_{http::ClientOptions()};
  WebhookClient client_{http_client_, http::EgressPolicy({.allow_private = true}),
                        std::chrono::seconds(5)};
  events::Outbox outbox_{*database_, clock_};
  AutomationRepository many_{*database_, clock_, kManyPerProject};
  DeliveryRepository log_{*database_, clock_};
  std::unique_ptr<Worker> worker_;
};

}  // namespace spindle::automation
