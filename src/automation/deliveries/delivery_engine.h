#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "automation/deliveries/delivery_store.h"
#include "automation/deliveries/webhook_quotas.h"
#include "automation/webhooks/secret_store.h"
#include "automation/webhooks/webhook_client.h"
#include "base/core/metrics.h"
#include "base/core/mutex.h"

namespace spindle::events {
class Outbox;
}

namespace spindle::automation {

struct DeliveryEngineOptions {
  int concurrency = 64;  ///< maximum number of concurrent requests
  /// Poll interval for changes by other processes; changes of this process wake the engine at once.
  std::chrono::milliseconds poll{60'000};
  std::string version = {};  ///< of the program, for the User-Agent header
};

/// Creates deliveries for events and sends them. One thread converts events to deliveries, claims
/// due deliveries and stores outcomes, in one transaction at a time. The requests run on the I/O
/// thread of the client, so that an endpoint that never responds occupies only its own request
/// slot.
class DeliveryEngine {
 public:
  /// The dependencies of the engine. All must outlive it.
  struct Ports {
    DeliveryStore& store;
    SecretStore& secrets;
    const WebhookClient& client;
    events::Outbox& outbox;
    Clocks clocks;
    MetricRegistry& metrics;
    /// Returns whether this process is the one that sends deliveries. Null: always. A new sender
    /// takes over all deliveries that are in flight.
    std::function<bool()> is_sender = {};
  };

  DeliveryEngine(const Ports& ports, DeliveryEngineOptions options);
  /// Calls stop().
  ~DeliveryEngine();
  DeliveryEngine(const DeliveryEngine&) = delete;
  DeliveryEngine& operator=(const DeliveryEngine&) = delete;

  /// Starts the thread. Releases the deliveries that this worker had leased when it last ended.
  void start();
  /// Stops claiming deliveries and waits for the running requests. A delivery whose request has not
  /// ended at the deadline is sent again after the next start.
  void stop(std::chrono::milliseconds deadline = std::chrono::seconds(5));

  /// Tells the engine that a delivery to this webhook may be due, for a reason other than an event.
  /// Thread-safe.
  void check(const std::string& webhook_id);

  /// Runs in the calling thread, without start(), until no delivery is due and no request is
  /// running.
  void runForTest();

 private:
  /// The outcome of an attempt before its evaluation.
  struct FinishedAttempt {
    AttemptReport report;
    std::int64_t round_attempt = 1;
  };
  class OutcomeQueue;
  using Secrets = std::map<std::string, Result<std::shared_ptr<const Credentials>>>;

  bool isSender() const { return !ports_.is_sender || ports_.is_sender(); }
  /// Releases the deliveries that an earlier sender has left in flight.
  void takeOver();
  /// Stores the outcomes of running requests, for a process that is no longer the sender.
  void storeOutcomes();
  void loadBacklogs();
  /// Waits for signals. Delays the next cycle for a moment if only outcomes arrived and nothing
  /// waits for them, because each cycle costs a disk write. `seen` and `wakes` are the counts of
  /// all signals and of those for outcomes before the last cycle.
  void waitForSignals(std::uint64_t seen, std::uint64_t wakes, std::chrono::milliseconds limit);
  void run(const std::stop_token& stop);
  /// Runs one transaction and sends the claimed deliveries.
  /// @return the time until the next cycle; nothing if only a signal can bring new work.
  std::optional<std::chrono::milliseconds> runCycle(bool claims);
  std::vector<AttemptReport> evaluateOutcomes(std::vector<FinishedAttempt> finished);
  void send(const ClaimedDelivery& delivery, Secrets& secrets);
  const Result<std::shared_ptr<const Credentials>>& credentialsOf(const Webhook& webhook,
                                                                  Secrets& secrets);

  const Ports ports_;
  const DeliveryEngineOptions options_;
  const std::shared_ptr<OutcomeQueue> outcomes_;  ///< shared with the running requests
  Counter& succeeded_;
  Counter& failed_;
  Gauge& in_flight_;

  // Used by the worker thread only.
  WebhookQuotas quotas_;
  AutomationSnapshot automations_;
  std::vector<AttemptReport> unsaved_reports_;  ///< reports of a failed transaction
  std::mt19937_64 random_{std::random_device()()};

  std::jthread worker_;
};

}  // namespace spindle::automation
