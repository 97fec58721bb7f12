#include "cluster/membership.h"

#include <stdexcept>
#include <utility>

#include "base/crypto/id.h"
#include "cluster/log.h"
#include "storage/database/database.h"

namespace spindle::cluster {
namespace {

/// The owner of a task stops this long before others may take it.
constexpr std::chrono::seconds kMargin{1};
constexpr std::chrono::hours kLostNodesShown{1};

}  // namespace

Membership::Membership(storage::Database& database, const Clocks& clocks, MembershipOptions options)
    : alone_(database.engine() == storage::Engine::kSqlite),
      clocks_(clocks),
      options_(std::move(options)),
      incarnation_(newUuid(clocks.wall.now())),
      registry_(database, clocks.schedule) {
  database.subscribe(NodeRegistry::kTasksTopic, [this](std::string_view) { wake(); });
}

Membership::~Membership() { stop(); }

Node Membership::self() const {
  return {.id = options_.id,
          .incarnation = incarnation_,
          .url = url_,
          .version = options_.version,
          .roles = options_.roles,
          .started_at = started_at_,
          .seen_at = clocks_.schedule.now(),
          .state = draining_ ? NodeState::kDraining : NodeState::kReady};
}

void Membership::start(std::string url, Callbacks callbacks) {
  url_ = std::move(url);
  callbacks_ = std::move(callbacks);
  started_at_ = clocks_.wall.now();
  if (alone_) return;
  if (const Result<void> added = registry_.add(self()); !added) {
    throw std::runtime_error("cannot register the node: " + added.error().message());
  }
  registered_ = true;
  beat();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Membership::drain() {
  draining_ = true;
  wake();
}

void Membership::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    wake();
    thread_.join();
  }
  if (!std::exchange(registered_, false)) return;
  {
    const MutexLock lock(mutex_);
    owned_.clear();
  }
  if (const Result<void> removed = registry_.remove(self()); !removed) {
    // Its row and its leases expire.
    kLog.warning("node_not_removed", {{"reason", removed.error().message()}});
  }
}

bool Membership::owns(std::string_view task) const {
  if (alone_) return true;
  const SteadyClock::time_point now = SteadyClock::now();
  const MutexLock lock(mutex_);
  const auto found = owned_.find(task);
  return found != owned_.end() && now < found->second;
}

Result<std::vector<Node>> Membership::nodes() {
  if (alone_) {
    Node only = self();
    only.tasks = options_.tasks;
    return std::vector<Node>{std::move(only)};
  }
  return registry_.list();
}

void Membership::wake() {
  const MutexLock lock(mutex_);
  woken_ = true;
  changed_.notifyAll();
}

void Membership::run(const std::stop_token& stop) {
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (!woken_) changed_.waitFor(mutex_, options_.heart_beat);
      woken_ = false;
    }
    if (stop.stop_requested()) return;
    beat();
    if (owns(kLossTask) && othersCouldBeat()) handleLosses();
  }
}

bool Membership::othersCouldBeat() const {
  return beating_since_ && SteadyClock::now() - *beating_since_ >= NodeRegistry::kLostAfter;
}

void Membership::beat() {
  const SteadyClock::time_point until = SteadyClock::now() + options_.lease - kMargin;
  const Result<NodeRegistry::HeartBeat> beat =
      registry_.beat(self(), options_.tasks, options_.lease);
  if (!beat) {
    kLog.warning("heartbeat_failed", {{"reason", beat.error().message()}});
    return;
  }
  const SteadyClock::time_point now = SteadyClock::now();
  if (!last_beat_ || now - *last_beat_ > 3 * options_.heart_beat) beating_since_ = now;
  last_beat_ = now;
  bool first_time = false;
  {
    const MutexLock lock(mutex_);
    for (const std::string& task : beat->tasks) {
      if (owned_.find(task) == owned_.end()) kLog.info("task_taken", {{"task", task}});
    }
    owned_.clear();
    for (const std::string& task : beat->tasks) owned_.emplace(task, until);
    first_time = beat->replaced && !std::exchange(replaced_, beat->replaced);
  }
  if (!first_time) return;
  kLog.error("node_replaced", {{"node", options_.id}});
  if (callbacks_.replaced) callbacks_.replaced();
}

void Membership::handleLosses() {
  const Result<std::vector<std::string>> losses = registry_.unhandledLosses();
  if (!losses) return;
  for (const std::string& id : *losses) {
    kLog.warning("node_lost", {{"node", id}});
    Result<void> handled = callbacks_.lost ? callbacks_.lost(id) : Result<void>();
    if (handled) handled = registry_.markHandled(id);
    if (!handled) kLog.warning("work_not_given_back", {{"reason", handled.error().message()}});
  }
}

Result<void> Membership::forgetLostNodes() {
  return alone_ ? Result<void>() : registry_.forgetLost(kLostNodesShown);
}

}  // namespace spindle::cluster
