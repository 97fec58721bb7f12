#include "automation/deliveries/delivery_repository.h"

#include "automation/deliveries/delivery_for_test.h"

namespace spindle::automation {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class DeliveryRepositoryTest : public DeliveryContract {
 protected:
  /// Creates a finished delivery.
  Delivery delivered(FakeEndpoint& endpoint, const std::string& payload = "{}") {
    hook_ = hook("hook", endpoint.url());
    automation_ = automation("a", kAnyAlias, hook_, payload);
    addAlias("x");
    deliver();
    return deliveries().at(0);
  }
  template <class T>
  std::string reason(const Result<T>& result) {
    return result ? "done" : result.error().reason();
  }

  std::optional<Webhook> hook_;
  std::optional<Automation> automation_;
};

TEST_P(DeliveryRepositoryTest, ReplaysADelivery) {
  policy_.retry_delays = {seconds(1)};
  FakeEndpoint endpoint({statusOnly(500), statusOnly(500), statusOnly(500), statusOnly(200)});
  Delivery first = delivered(endpoint);
  EXPECT_EQ(reason(log_.replay(first.id)), "in_flight") << "it is tried again by itself";
  clock_.advance(seconds(1));
  deliver();
  EXPECT_EQ(statuses(), "failed:http_status ");
  const Result<Delivery> again = log_.replay(first.id);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, DeliveryStatus::kPending);
  EXPECT_EQ(again->last_error.has_value(), false);
  EXPECT_EQ(again->finished_at, std::nullopt);
  deliver();
  EXPECT_EQ(statuses(), "retrying:http_status ") << "the schedule begins anew";
  clock_.advance(seconds(1));
  deliver();
  EXPECT_EQ(statuses(), "succeeded ");
  EXPECT_EQ(endpoint.headers("X-Svc-Attempt"), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(endpoint.headers("Webhook-Id"), std::vector<std::string>(4, first.id));
}

TEST_P(DeliveryRepositoryTest, ReplaysWithTheCurrentAutomation) {
  FakeEndpoint endpoint;
  const Delivery first = delivered(endpoint, R"({"old":"${alias}"})");
  AutomationDraft draft = automation_->draft;
  draft.name = "renamed";
  draft.action.payload = R"({"new":"${alias}"})";
  ASSERT_TRUE(many_.update(automation_->id, draft, std::nullopt));
  for (int i = 0; i < 2; ++i) {
    const Result<Delivery> again = log_.replayCurrent(first.id);
    ASSERT_TRUE(again);
    EXPECT_NE(again->id, first.id);
    EXPECT_EQ(again->replay_of, first.id);
    EXPECT_EQ(again->event_id, first.event_id);
    EXPECT_EQ(again->automation_name, "renamed");
    deliver();
  }
  EXPECT_EQ(endpoint.bodies(),
            (std::vector<std::string>{R"({"old":"x"})", R"({"new":"x"})", R"({"new":"x"})"}));
  const Result<std::vector<std::string>> ids = log_.idsOfEvent(first.event_id);
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->size(), 3U);
  EXPECT_EQ(ids->front(), first.id);
}

TEST_P(DeliveryRepositoryTest, ReportsWhyAReplayIsRefused) {
  FakeEndpoint endpoint;
  const Delivery first = delivered(endpoint);
  ASSERT_TRUE(webhooks_.update({acme_.id, hook_->id}, {.status = WebhookStatus::kDisabled}));
  EXPECT_EQ(reason(log_.replay(first.id)), "webhook_disabled");
  EXPECT_EQ(reason(log_.replayCurrent(first.id)), "webhook_disabled");
  ASSERT_TRUE(webhooks_.update({acme_.id, hook_->id}, {.status = WebhookStatus::kActive}));
  ASSERT_TRUE(many_.remove(automation_->id));
  EXPECT_EQ(reason(log_.replayCurrent(first.id)), "automation_deleted");
  EXPECT_EQ(reason(log_.replay(first.id)), "done") << "all it needs is its own";
  automation("quiet", kAnyAlias, std::nullopt);
  addAlias("y");
  deliver();
  const Delivery quiet = deliveries().at(0);
  EXPECT_EQ(reason(log_.replay(quiet.id)), "nothing_to_send");
  EXPECT_EQ(codeOf(log_.replay("dlv_none")), ErrorCode::kNotFound);
}

TEST_P(DeliveryRepositoryTest, CancelsUnfinishedDeliveries) {
  FakeEndpoint endpoint({statusOnly(500)});
  const Delivery first = delivered(endpoint);
  const Result<Delivery> cancelled = log_.cancel(first.id);
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->status, DeliveryStatus::kCancelled);
  EXPECT_EQ(cancelled->next_attempt_at, std::nullopt);
  EXPECT_EQ(reason(log_.cancel(first.id)), "finished");
  clock_.advance(hours(1));
  deliver();
  EXPECT_EQ(endpoint.requests().size(), 1U);
}

TEST_P(DeliveryRepositoryTest, RecoversFailedDeliveriesOfAPeriod) {
  policy_.retry_delays = {};
  FakeEndpoint endpoint({statusOnly(500), statusOnly(500), statusOnly(500), statusOnly(200)});
  delivered(endpoint, R"(["${alias}"])");
  const Timestamp since = clock_.now() + seconds(1);
  tick();
  addAlias("second");
  deliver();
  tick();
  ASSERT_TRUE(webhooks_.update({acme_.id, hook_->id}, {.status = WebhookStatus::kDisabled}));
  addAlias("third");
  deliver();
  EXPECT_EQ(statuses(), "failed:http_status failed:http_status cancelled:webhook_disabled ");
  EXPECT_EQ(reason(log_.recover(hook_->id, since, std::nullopt)), "webhook_disabled");
  ASSERT_TRUE(webhooks_.update({acme_.id, hook_->id},
                               {.max_concurrency = 1, .status = WebhookStatus::kActive}));
  EXPECT_EQ(log_.recover(hook_->id, since, since).value(), 0);
  EXPECT_EQ(log_.recover(hook_->id, since, std::nullopt).value(), 2);
  deliver();
  EXPECT_EQ(endpoint.bodies(), (std::vector<std::string>{R"(["x"])", R"(["second"])",
                                                         R"(["second"])", R"(["third"])"}))
      << "the oldest first";
  EXPECT_EQ(statuses(), "failed:http_status failed:http_status succeeded ");
}

TEST_P(DeliveryRepositoryTest, DeletesExpiredBodiesAndDeliveries) {
  FakeEndpoint endpoint({http::okResponse("thanks")});
  delivered(endpoint);
  const auto forget = [&] {
    Result<bool> more = true;
    while (more && *more) more = log_.deleteExpired();
    EXPECT_TRUE(more);
  };
  clock_.advance(hours(24 * 7 - 1));
  forget();
  EXPECT_EQ(attemptsOf(deliveries()[0])[0].response_body, "thanks");
  EXPECT_EQ(deliveries()[0].request->body, "{}");
  clock_.advance(hours(2));
  addAlias("fresh");
  deliver();
  forget();
  const std::vector<Delivery> week = deliveries();
  ASSERT_EQ(week.size(), 2U);
  EXPECT_EQ(attemptsOf(week[1])[0].response_body, std::nullopt);
  EXPECT_EQ(attemptsOf(week[1])[0].response_headers, std::nullopt);
  EXPECT_EQ(attemptsOf(week[1])[0].response_status, 200);
  EXPECT_EQ(week[1].request->body, "");
  EXPECT_EQ(attemptsOf(week[0])[0].response_body, "thanks");
  clock_.advance(hours(24 * 23));
  forget();
  ASSERT_EQ(deliveries().size(), 1U);
  EXPECT_EQ(deliveries()[0].id, week[0].id);
  EXPECT_EQ(log_.dispatched().value(), 2);
}

TEST_P(DeliveryRepositoryTest, ListsPageByPage) {
  FakeEndpoint endpoint;
  automation("a", kAnyAlias, hook("hook", endpoint.url()));
  for (int i = 0; i < 5; ++i) addAlias(std::to_string(i));
  deliver();
  const auto all = [](const Scope&) -> Result<bool> { return true; };
  std::size_t seen = 0;
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  std::string after;
  do {
    const auto page = log_.list({}, all, {.limit = 2, .after = after});
    ASSERT_TRUE(page);
    for (const Delivery& delivery : page->items) {
      EXPECT_LT(delivery.number, before);
      before = delivery.number;
      ++seen;
    }
    after = page->next.value_or("");
  } while (!after.empty());
  EXPECT_EQ(seen, 5U);
  const auto nothing = [](const Scope&) -> Result<bool> { return false; };
  EXPECT_TRUE(log_.list({}, nothing, {.limit = 2, .after = ""})->items.empty());
  EXPECT_FALSE(log_.list({}, all, {.limit = 2, .after = "x"}));
}

TEST_P(DeliveryRepositoryTest, ListsByTeam) {
  FakeEndpoint endpoint;
  const identity::Team other = team("other", lead_);
  WebhookSettings settings = settingsOf("theirs");
  settings.url_endpoint = endpoint.url();
  const Result<Webhook> theirs = webhooks_.insert(other.id, settings);
  ASSERT_TRUE(theirs);
  automation("to our webhook", kAnyAlias, hook("ours", endpoint.url()));
  automation("to their webhook", kAnyAlias, *theirs);
  automation("to none", kAnyAlias, std::nullopt);
  addAlias("x");
  deliver();
  EXPECT_EQ(deliveries({.team_id = acme_.id}).size(), 3U);
  const std::vector<Delivery> to_other = deliveries({.team_id = other.id});
  ASSERT_EQ(to_other.size(), 1U);
  EXPECT_EQ(to_other[0].automation_name, "to their webhook");
  EXPECT_TRUE(deliveries({.team_id = other.id, .status = DeliveryStatus::kFailed}).empty());
  EXPECT_TRUE(deliveries({.team_id = "team_unknown"}).empty());
}

SPINDLE_ON_BOTH_ENGINES(DeliveryRepositoryTest);

}  // namespace
}  // namespace spindle::automation
