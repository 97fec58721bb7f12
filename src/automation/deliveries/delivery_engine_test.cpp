#include "automation/deliveries/delivery_engine.h"

#include <atomic>
#include <set>

#include "automation/deliveries/delivery_for_test.h"
#include "base/crypto/crypto.h"

namespace spindle::automation {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;

class DeliveryEngineTest : public DeliveryContract {
 protected:
  /// Raises events and waits until as many deliveries have succeeded.
  void deliverEvents(std::size_t count) {
    std::uint64_t seen = outbox_.signals();
    for (std::size_t i = 0; i < count; ++i) addAlias(std::to_string(i));
    while (deliveries({.status = DeliveryStatus::kSucceeded}).size() < count) {
      outbox_.wait(seen, std::chrono::milliseconds(20));
      seen = outbox_.signals();
    }
  }
};

TEST_P(DeliveryEngineTest, SendsOneRequestForEachMatch) {
  FakeEndpoint endpoint;
  secret("TOKEN", "tok_example_123");
  secret("KEY", "s3cr3t-deploy-key");
  WebhookSettings settings = settingsOf("hook");
  settings.url_endpoint = endpoint.url();
  settings.access_token_ref = "TOKEN";
  settings.secret_ref = "KEY";
  const Webhook hook = webhook(settings);
  const Automation made =
      automation("deploy", R"({"type":"ADD_ARTIFACT_ALIAS","alias_regex":"^prod$"})", hook,
                 R"({"a":"${alias}","n":"${automation_name}","k":"$KEY","w":"${event_author}"})");
  addAlias("preprod");
  const std::string event = addAlias("prod");
  deliver();
  ASSERT_EQ(
      endpoint.bodies(),
      std::vector<std::string>{R"({"a":"prod","n":"deploy","k":"s3cr3t-deploy-key","w":"anna"})"});
  const std::vector<Delivery> all = deliveries();
  ASSERT_EQ(all.size(), 1U);
  const Delivery& delivery = all[0];
  EXPECT_EQ(delivery.status, DeliveryStatus::kSucceeded);
  EXPECT_EQ(delivery.automation_id, made.id);
  EXPECT_EQ(delivery.event_id, event);
  EXPECT_EQ(delivery.attempt_count, 1);
  EXPECT_EQ(delivery.finished_at, clock_.now());
  EXPECT_EQ(endpoint.headers("Webhook-Id"), std::vector<std::string>{delivery.id});
  EXPECT_EQ(endpoint.headers("Authorization"), std::vector<std::string>{"Bearer tok_example_123"});
  EXPECT_EQ(endpoint.headers("X-Svc-Signature"),
            std::vector<std::string>{toHex(hmacSha256("s3cr3t-deploy-key", endpoint.bodies()[0]))});
  EXPECT_EQ(endpoint.headers("X-Svc-Event"), std::vector<std::string>{"ADD_ARTIFACT_ALIAS"});
  EXPECT_EQ(endpoint.headers("X-Svc-Automation-Id"), std::vector<std::string>{made.id});
  EXPECT_EQ(endpoint.headers("X-Svc-Attempt"), std::vector<std::string>{"1"});
  ASSERT_TRUE(delivery.request);
  EXPECT_EQ(delivery.request->body, R"({"a":"prod","n":"deploy","k":"***","w":"anna"})");
  EXPECT_EQ(delivery.request->body_sha256, toHex(sha256(endpoint.bodies()[0])));
  EXPECT_NE(delivery.request->headers.find(R"("Authorization":"Bearer ***")"), std::string::npos);
  EXPECT_EQ(delivery.request->headers.find("tok_example"), std::string::npos);
  const std::vector<DeliveryAttempt> attempts = attemptsOf(delivery);
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].response_status, 200);
  EXPECT_EQ(attempts[0].remote_ip, "127.0.0.1");
  const Result<Automation> after = many_.find(made.id);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->last_executed_at, clock_.now());
  EXPECT_EQ(after->version, made.version);
}

TEST_P(DeliveryEngineTest, MasksEchoedCredentials) {
  FakeEndpoint endpoint(
      {http::okResponse("you sent tok_example_123", "X-Echo: tok_example_123\r\n")});
  secret("TOKEN", "tok_example_123");
  WebhookSettings settings = settingsOf("hook");
  settings.url_endpoint = endpoint.url();
  settings.access_token_ref = "TOKEN";
  automation("a", kAnyAlias, webhook(settings));
  addAlias("x");
  deliver();
  const DeliveryAttempt attempt = attemptsOf(deliveries()[0])[0];
  EXPECT_EQ(attempt.response_body, "you sent ***");
  EXPECT_NE(attempt.response_headers->json.find("\"***\""), std::string::npos);
  EXPECT_EQ(attempt.response_headers->json.find("tok_example"), std::string::npos);
}

TEST_P(DeliveryEngineTest, StoresBinaryResponses) {
  FakeEndpoint endpoint({http::okResponse(std::string("\xff\0\xc3", 3))});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  EXPECT_EQ(statuses(), "succeeded ");
  EXPECT_EQ(attemptsOf(deliveries()[0])[0].response_body, "\xEF\xBF\xBD \xEF\xBF\xBD");
}

TEST_P(DeliveryEngineTest, CreatesOneDeliveryForEventsOfOneChange) {
  FakeEndpoint endpoint;
  automation("a", R"({"type":"ADD_ARTIFACT_TAG","tag_regex":"."})", hook("hook", endpoint.url()));
  raiseEvent(EventType::kAddArtifactTag, R"({"tag":"t"})", "change-1");
  raiseEvent(EventType::kAddArtifactTag, R"({"tag":"t"})", "change-1");
  raiseEvent(EventType::kAddArtifactTag, R"({"tag":"t"})", "change-2");
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 2U);
}

TEST_P(DeliveryEngineTest, NoopActionSucceeds) {
  automation("quiet", kAnyAlias, std::nullopt);
  addAlias("x");
  deliver();
  ASSERT_EQ(statuses(), "succeeded ");
  EXPECT_EQ(deliveries()[0].webhook_id, std::nullopt);
  EXPECT_EQ(deliveries()[0].attempt_count, 0);
}

TEST_P(DeliveryEngineTest, RetriesUnderTheSameId) {
  FakeEndpoint endpoint(
      {statusOnly(500), statusOnly(500), statusOnly(500), statusOnly(500), statusOnly(200)});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  const Timestamp began = clock_.now();
  std::vector<std::int64_t> at;
  for (int i = 0; i < 5; ++i) {
    deliver();
    const Delivery delivery = deliveries()[0];
    EXPECT_EQ(delivery.attempt_count, i + 1);
    if (!delivery.next_attempt_at) break;
    EXPECT_EQ(delivery.status, DeliveryStatus::kRetrying);
    clock_.advance(*delivery.next_attempt_at - clock_.now() - seconds(1));
    deliver();
    EXPECT_EQ(deliveries()[0].attempt_count, i + 1) << "not before its time";
    clock_.advance(seconds(1));
    at.push_back(std::chrono::duration_cast<seconds>(clock_.now() - began).count());
  }
  EXPECT_EQ(at, (std::vector<std::int64_t>{5, 305, 2105, 9305}));
  EXPECT_EQ(statuses(), "succeeded ");
  const std::vector<std::string> ids = endpoint.headers("Webhook-Id");
  EXPECT_EQ(ids.size(), 5U);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 1U);
  EXPECT_EQ(endpoint.headers("X-Svc-Attempt"), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(attemptsOf(deliveries()[0]).size(), 5U);
}

TEST_P(DeliveryEngineTest, FailsAfterTheLastRetry) {
  policy_.retry_delays = {seconds(1)};
  FakeEndpoint endpoint({statusOnly(500)});
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  deliver();
  clock_.advance(seconds(1));
  deliver();
  EXPECT_EQ(statuses(), "failed:http_status ");
  EXPECT_EQ(deliveries()[0].finished_at, clock_.now());
}

TEST_P(DeliveryEngineTest, DisablesAWebhookThatReturns410) {
  FakeEndpoint endpoint({statusOnly(410)});
  const Webhook made = hook("hook", endpoint.url(), 1);
  automation("a", kAnyAlias, made);
  for (const char* alias : {"x", "y"}) addAlias(alias);
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 1U);
  EXPECT_EQ(statuses(), "failed:gone cancelled:webhook_disabled ");
  const Result<Webhook> after = webhooks_.find({acme_.id, made.id});
  ASSERT_TRUE(after);
  EXPECT_EQ(after->status, WebhookStatus::kDisabled);
  EXPECT_EQ(after->disabled_reason, "gone");
  addAlias("z");
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 1U);
  EXPECT_EQ(statuses(), "failed:gone cancelled:webhook_disabled cancelled:webhook_disabled ");
}

TEST_P(DeliveryEngineTest, DisablesAWebhookThatFailsForFiveDays) {
  policy_.retry_delays.assign(100, hours(6));
  FakeEndpoint endpoint({statusOnly(500)});
  const Webhook made = hook("hook", endpoint.url());
  automation("a", kAnyAlias, made);
  addAlias("x");
  int attempts = 0;
  for (; attempts < 100; ++attempts) {
    deliver();
    if (webhooks_.find({acme_.id, made.id})->status == WebhookStatus::kDisabled) break;
    clock_.advance(hours(6));
  }
  // The failing period starts after twelve hours and lasts five days.
  EXPECT_EQ(attempts, 2 + 20);
  EXPECT_EQ(webhooks_.find({acme_.id, made.id})->disabled_reason, "failing");
  EXPECT_EQ(statuses(), "cancelled:http_status ");
}

TEST_P(DeliveryEngineTest, SuccessResetsTheFailingPeriod) {
  policy_.retry_delays = {hours(13), hours(13)};
  FakeEndpoint endpoint({statusOnly(500), statusOnly(500), statusOnly(200)});
  const Webhook made = hook("hook", endpoint.url());
  automation("a", kAnyAlias, made);
  addAlias("x");
  for (int i = 0; i < 3; ++i) {
    deliver();
    clock_.advance(hours(13));
  }
  EXPECT_EQ(statuses(), "succeeded ");
  const auto failing = database_->read([&](storage::Session& session) {
    return session.queryOne("SELECT first_failure_at, failing_since FROM webhooks WHERE id = ?",
                            {made.id});
  });
  ASSERT_TRUE(failing);
  EXPECT_TRUE((*failing)->isNull("first_failure_at"));
  EXPECT_TRUE((*failing)->isNull("failing_since"));
}

TEST_P(DeliveryEngineTest, SendsNothingWithoutItsSecret) {
  FakeEndpoint endpoint;
  secret("KEY", "value");
  WebhookSettings settings = settingsOf("hook");
  settings.url_endpoint = endpoint.url();
  settings.secret_ref = "KEY";
  automation("a", kAnyAlias, webhook(settings));
  ASSERT_TRUE(secrets_.remove({acme_.id, "KEY"}, true));
  addAlias("x");
  deliver();
  EXPECT_EQ(statuses(), "failed:secret_unavailable ");
  EXPECT_TRUE(endpoint.requests().empty());
}

TEST_P(DeliveryEngineTest, SendsNoInvalidJson) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()), R"({"a":-${artifact_metadata.s}})");
  raiseEvent(EventType::kAddArtifactAlias, R"({"alias":"x","artifact_metadata":{"s":"abc"}})");
  deliver();
  EXPECT_EQ(statuses(), "failed:render_error ");
  EXPECT_TRUE(endpoint.requests().empty());
}

TEST_P(DeliveryEngineTest, UsesTheStoredTemplateAndCurrentCredentials) {
  FakeEndpoint endpoint({statusOnly(500), statusOnly(200)});
  secret("TOKEN", "old");
  WebhookSettings settings = settingsOf("hook");
  settings.url_endpoint = endpoint.url();
  settings.access_token_ref = "TOKEN";
  const Webhook hook = webhook(settings);
  Automation made = automation("a", kAnyAlias, hook, R"({"old":1})");
  addAlias("x");
  deliver();
  made.draft.action.payload = R"({"new":1})";
  ASSERT_TRUE(many_.update(made.id, made.draft, std::nullopt));
  ASSERT_TRUE(secrets_.rotate({acme_.id, "TOKEN"}, Secret("new")));
  clock_.advance(seconds(5));
  deliver();
  EXPECT_EQ(endpoint.bodies(), (std::vector<std::string>{R"({"old":1})", R"({"old":1})"}));
  EXPECT_EQ(endpoint.headers("Authorization"),
            (std::vector<std::string>{"Bearer old", "Bearer new"}));
}

TEST_P(DeliveryEngineTest, AppliesTheRateLimit) {
  policy_.per_minute = 2;
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  for (int i = 0; i < 24; ++i) addAlias("x" + std::to_string(i));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 2U);
  std::int64_t skipped = 0;
  for (const Delivery& delivery : deliveries()) {
    if (delivery.status == DeliveryStatus::kSkipped) ++skipped;
  }
  EXPECT_EQ(skipped, 2);
  clock_.advance(seconds(30));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 3U);
  clock_.advance(minutes(10));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 22U);
}

TEST_P(DeliveryEngineTest, CancelsDeliveriesOfDeletedOrDisabledAutomations) {
  FakeEndpoint endpoint({statusOnly(500)});
  const Webhook made = hook("hook", endpoint.url());
  const Automation removed = automation("removed", kAnyAlias, made);
  Automation disabled = automation("disabled", kAnyAlias, made);
  addAlias("x");
  deliver();
  EXPECT_EQ(statuses(), "retrying:http_status retrying:http_status ");
  ASSERT_TRUE(many_.remove(removed.id));
  disabled.draft.enabled = false;
  ASSERT_TRUE(many_.update(disabled.id, disabled.draft, std::nullopt));
  EXPECT_EQ(statuses(), "cancelled:automation_removed cancelled:automation_disabled ");
  addAlias("y");
  clock_.advance(hours(1));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 2U);
  EXPECT_EQ(deliveries().size(), 2U);
}

TEST_P(DeliveryEngineTest, IgnoresEventsBeforeTheAutomation) {
  FakeEndpoint endpoint;
  addAlias("x");
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  deliver();
  EXPECT_TRUE(deliveries().empty());
}

TEST_P(DeliveryEngineTest, FiresOncePerDayForARunState) {
  FakeEndpoint endpoint;
  automation("a", R"({"type":"RUN_STATE","states":["FAILED","FINISHED"]})",
             hook("hook", endpoint.url()));
  const auto enter = [&](const std::string& state) {
    raiseEvent(EventType::kRunState, R"({"run_state":")" + state + R"("})");
    deliver();
    return endpoint.requests().size();
  };
  EXPECT_EQ(enter("FINISHED"), 1U);
  EXPECT_EQ(enter("FINISHED"), 1U);
  EXPECT_EQ(enter("CRASHED"), 2U);
  EXPECT_EQ(enter("FAILED"), 2U);
  clock_.advance(hours(24));
  EXPECT_EQ(enter("FINISHED"), 3U);
}

TEST_P(DeliveryEngineTest, KeepsTheOrderWithConcurrencyOne) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url(), 1), R"(["${alias}"])");
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    addAlias(std::to_string(i));
    expected.push_back("[\"" + std::to_string(i) + "\"]");
  }
  deliver();
  EXPECT_EQ(endpoint.bodies(), expected);
}

TEST_P(DeliveryEngineTest, ResendsAfterAWorkerDied) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  // Claimed by a worker that never reports.
  Worker dead(*this, "dead");
  const auto everything = [](Timestamp, const std::vector<std::string>& fresh) {
    std::vector<WebhookQuota> plan;
    plan.reserve(fresh.size());
    for (const std::string& webhook_id : fresh) plan.push_back({webhook_id, 4, 0, false});
    return plan;
  };
  const Result<DeliveryCycle> cycle = dead.store.cycle({}, {}, everything);
  ASSERT_TRUE(cycle);
  ASSERT_EQ(cycle->claimed.size(), 1U);
  EXPECT_EQ(statuses(), "in_flight ");
  deliver();
  EXPECT_TRUE(endpoint.requests().empty()) << "the lease has not run out";
  clock_.advance(DeliveryStore::kLease);
  deliver();
  EXPECT_EQ(statuses(), "succeeded ");
  EXPECT_EQ(endpoint.headers("Webhook-Id"), std::vector<std::string>{cycle->claimed[0].id});
  EXPECT_EQ(endpoint.headers("X-Svc-Attempt"), std::vector<std::string>{"2"});
  const std::vector<DeliveryAttempt> attempts = attemptsOf(deliveries()[0]);
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].error->code, "interrupted");
  // A late report of the dead worker has no effect.
  AttemptReport late;
  late.delivery = cycle->claimed[0].number;
  late.attempt = 1;
  late.webhook_id = cycle->claimed[0].webhook->id;
  late.decision.status = DeliveryStatus::kFailed;
  ASSERT_TRUE(dead.store.cycle(cycle->automations, {late},
                               {[](auto, const auto&) { return std::vector<WebhookQuota>(); }}));
  EXPECT_EQ(statuses(), "succeeded ");
}

TEST_P(DeliveryEngineTest, ResumesOwnDeliveriesAfterARestart) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  Worker dead(*this, "worker");
  ASSERT_TRUE(dead.store.cycle({}, {}, [](Timestamp, const std::vector<std::string>& fresh) {
    return std::vector<WebhookQuota>{{fresh.at(0), 4, 0, false}};
  }));
  Worker restarted(*this, "worker");
  EXPECT_EQ(restarted.store.releaseOwn().value(), 1);
  restarted.engine.runForTest();
  EXPECT_EQ(statuses(), "succeeded ");
  EXPECT_EQ(endpoint.requests().size(), 1U);
}

TEST_P(DeliveryEngineTest, ANewSenderTakesOverWhatTheLastOneHadInFlight) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  addAlias("x");
  Worker dead(*this, "dead");
  ASSERT_TRUE(dead.store.cycle({}, {}, [](Timestamp, const std::vector<std::string>& fresh) {
    return std::vector<WebhookQuota>{{fresh.at(0), 4, 0, false}};
  }));
  std::atomic<bool> sender = false;
  DeliveryStore store(*database_, clocks(), policy_, "next");
  DeliveryEngine engine(
      {store, secrets_, client_, outbox_, clocks(), metrics_, [&sender] { return sender.load(); }},
      {.concurrency = 64, .poll = std::chrono::milliseconds(10), .version = "0.1.0"});
  engine.start();
  EXPECT_EQ(statuses(), "in_flight ");
  sender = true;
  outbox_.wake();
  while (deliveries({.status = DeliveryStatus::kSucceeded}).empty()) {
    outbox_.wait(outbox_.signals(), std::chrono::milliseconds(20));
  }
  engine.stop();
  EXPECT_EQ(statuses(), "succeeded ");
}

TEST_P(DeliveryEngineTest, TwoWorkersClaimEachDeliveryOnce) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url(), 16));
  policy_.per_minute = 0;
  Worker one(*this, "one");
  Worker two(*this, "two");
  one.engine.start();
  two.engine.start();
  constexpr std::size_t kEvents = 200;
  deliverEvents(kEvents);
  one.engine.stop();
  two.engine.stop();
  const std::vector<std::string> ids = endpoint.headers("Webhook-Id");
  EXPECT_EQ(ids.size(), kEvents);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), kEvents);
}

TEST_P(DeliveryEngineTest, SilentEndpointDoesNotBlockOthers) {
  http::ScriptedServer silent([](http::ScriptedServer::Peer& peer) {
    peer.readRequest();
    peer.awaitEnd();
  });
  FakeEndpoint endpoint;
  policy_.per_minute = 0;
  automation("silent", kAnyAlias, hook("silent", silent.url()));
  automation("well", kAnyAlias, hook("well", endpoint.url()));
  Worker worker(*this, "worker");
  worker.engine.start();
  // All others are delivered before the request to the silent endpoint times out.
  deliverEvents(50);
  EXPECT_EQ(deliveries({.status = DeliveryStatus::kInFlight}).size(), 4U);
  worker.engine.stop(std::chrono::milliseconds(0));
}

SPINDLE_ON_BOTH_ENGINES(DeliveryEngineTest);

}  // namespace
}  // namespace spindle::automation
