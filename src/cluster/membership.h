#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/schedule_clock.h"
#include "base/core/time.h"
#include "cluster/node.h"
#include "cluster/node_registry.h"
#include "storage/database/forward.h"

namespace spindle::cluster {

struct MembershipOptions {
  std::string id;
  std::string version = {};
  std::string roles = {};
  /// The background tasks of the deployment; the node takes those that belong to nobody.
  std::vector<std::string> tasks = {};
  std::chrono::milliseconds heart_beat{2'000};
  /// Leases of tasks. After the end of a node without a farewell, another node has its tasks within
  /// this time and a heartbeat.
  std::chrono::milliseconds lease{8'000};
};

/// This process as a node of its deployment: registers it, sends heartbeats, and holds leases of
/// background tasks.
///
/// With SQLite the process is the only node: there are no heartbeats, and it owns every task.
/// Thread-safe; only start(), drain(), stop() and nodes() block.
class Membership {
 public:
  struct Callbacks {
    /// Gives back the work of a lost node. Called by the owner of kLossTask until it succeeds.
    std::function<Result<void>(const std::string& node_id)> lost = {};
    /// Another process uses the id of this node: the data folder was copied. Called once.
    std::function<void()> replaced = {};
  };
  /// The task of giving back the work of lost nodes.
  static constexpr std::string_view kLossTask = "losses";

  /// All arguments must outlive this object.
  Membership(storage::Database& database, const Clocks& clocks, MembershipOptions options);
  /// Calls stop().
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// Registers the node under this URL, takes free tasks, and starts the heartbeats.
  /// @throws std::runtime_error if the database fails.
  void start(std::string url, Callbacks callbacks);
  /// Marks the node as draining. It keeps its tasks until stop().
  void drain();
  /// Ends the heartbeats, removes the node and gives its tasks back.
  void stop();

  /// Returns true while the task belongs to this node. After a pause of the process, such as that
  /// of a suspended machine, the result is false until the next heartbeat. Two nodes may still work
  /// at the same time for a moment, so a task must tolerate that.
  bool owns(std::string_view task) const;

  /// Returns true if no other node can exist.
  bool isAlone() const { return alone_; }
  const std::string& id() const { return options_.id; }
  /// Returns a text that identifies this process among all that had the id.
  const std::string& incarnation() const { return incarnation_; }

  /// Returns all nodes.
  Result<std::vector<Node>> nodes();

  /// Removes nodes that were lost an hour ago from the list.
  Result<void> forgetLostNodes();

  /// Sends one heartbeat, as the thread does; without start().
  void beatForTest() { beat(); }
  void handleLossesForTest() { handleLosses(); }

 private:
  using SteadyClock = std::chrono::steady_clock;

  Node self() const;
  void run(const std::stop_token& stop);
  void beat();
  void handleLosses();
  /// Returns true if the database has been there for long enough. While it was away, other nodes
  /// could not send heartbeats either.
  bool othersCouldBeat() const;
  void wake();

  const bool alone_;
  const Clocks clocks_;
  const MembershipOptions options_;
  const std::string incarnation_;
  NodeRegistry registry_;

  // Constant while the thread runs.
  std::string url_;
  Callbacks callbacks_;
  Timestamp started_at_ = {};
  bool registered_ = false;

  // Used by start() before the thread, and by the thread.
  std::optional<SteadyClock::time_point> last_beat_;      ///< the last one that succeeded
  std::optional<SteadyClock::time_point> beating_since_;  ///< all succeeded since then

  std::atomic<bool> draining_{false};
  mutable Mutex mutex_;
  Condition changed_;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool replaced_ SPINDLE_GUARDED_BY(mutex_) = false;
  /// The tasks of this node, and the end of each lease with a margin.
  std::map<std::string, SteadyClock::time_point, std::less<>> owned_ SPINDLE_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace spindle::cluster
