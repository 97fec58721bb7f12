#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "automation/delivery_lanes.h"
#include "automation/delivery_store.h"
#include "automation/secret_store.h"
#include "automation/webhook_client.h"
#include "base/metrics.h"
#include "base/mutex.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::automation {

struct DeliveryEngineOptions {
  int concurrency = 64;  ///< requests under way at the same time
  /// For what others do to the database; what this process does is noticed at once.
  std::chrono::milliseconds poll{60'000};
  std::string version = {};  ///< of the program
};

/// Follows the events, and sends what automations make of them. One thread turns events into
/// deliveries, claims what is due and keeps what came of it, all in one transaction at a time; the
/// requests themselves are under way on the I/O thread of the client, so that an endpoint that
/// never answers holds nothing but its own place.
class DeliveryEngine {
 public:
  /// What the engine works with; everything must outlive it.
  struct Ports {
    DeliveryStore& store;
    SecretStore& secrets;
    const WebhookClient& client;
    events::Outbox& outbox;
    Clocks clocks;
    MetricRegistry& metrics;
  };

  DeliveryEngine(const Ports& ports, DeliveryEngineOptions options);
  /// stop()s.
  ~DeliveryEngine();
  DeliveryEngine(const DeliveryEngine&) = delete;
  DeliveryEngine& operator=(const DeliveryEngine&) = delete;

  /// Takes up what was under way when this worker last ended, and begins.
  void start();
  /// Takes no more, and waits for what is under way. What has not ended at the deadline is sent
  /// again after the next start.
  void stop(std::chrono::milliseconds deadline = std::chrono::seconds(5));

  /// Something of this endpoint may have become due, by another way than an event. Thread-safe.
  void look(const std::string& webhook_id);

  /// Without start(): works until nothing is due and nothing under way.
  void runForTest();

 private:
  /// What came of an attempt, before it is judged.
  struct Finished {
    AttemptReport report;
    std::int64_t round_attempt = 1;
  };
  class Inbox;
  using Secrets = std::map<std::string, Result<std::shared_ptr<const Credentials>>>;

  void prepare();
  /// Waits for news. Outcomes alone are let gather for a moment, unless something waits for them:
  /// each turn of the engine costs a write to disk.
  /// `seen` and `wakes`: the signals, and those of outcomes, before the last turn.
  void rest(std::uint64_t seen, std::uint64_t wakes, std::chrono::milliseconds limit);
  void work(const std::stop_token& stop);
  /// One transaction and the requests that follow from it. @return when to come again; nothing
  /// when only news can bring something to do.
  std::optional<std::chrono::milliseconds> step(bool claims);
  std::vector<AttemptReport> judged(std::vector<Finished> finished);
  void send(const ClaimedDelivery& delivery, Secrets& secrets);
  const Result<std::shared_ptr<const Credentials>>& credentialsOf(const Webhook& webhook,
                                                                  Secrets& secrets);

  const Ports ports_;
  const DeliveryEngineOptions options_;
  const std::shared_ptr<Inbox> inbox_;  ///< shared with the requests under way
  Counter& succeeded_;
  Counter& failed_;
  Gauge& in_flight_;

  // Of the thread that works.
  DeliveryLanes lanes_;
  Watchers watchers_;
  std::vector<AttemptReport> unsettled_;  ///< of a transaction that failed
  std::mt19937_64 random_{std::random_device()()};

  std::jthread worker_;
};

}  // namespace spindle::automation
