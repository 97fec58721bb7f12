#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "cluster/node.h"
#include "storage/database/forward.h"

namespace spindle::cluster {

/// The nodes of a deployment and the leases of its background tasks, in the metadata database.
/// Thread-safe. All calls block on the database and may return kUnavailable.
///
/// A task belongs to the node whose lease has not expired. Leases follow the schedule clocks of the
/// nodes, which agree (storage::Database::time()).
class NodeRegistry {
 public:
  /// A node without a heartbeat for this long is lost.
  static constexpr std::chrono::seconds kLostAfter{10};

  /// The topic of messages that say that a node has given its tasks back.
  static constexpr std::string_view kTasksTopic = "tasks";

  NodeRegistry(storage::Database& database, const Clock& schedule)
      : database_(database), schedule_(schedule) {}

  /// Adds a node, or replaces its earlier process and takes that process's leases from it.
  Result<void> add(const Node& node);

  struct HeartBeat {
    bool replaced = false;           ///< another process has the id of this node
    std::vector<std::string> tasks;  ///< that belong to the node for the duration
  };
  /// Records that the node is alive, extends its leases, and takes those of `tasks` that belong to
  /// nobody. A draining node extends but takes none.
  Result<HeartBeat> beat(const Node& node,
                         const std::vector<std::string>& tasks,
                         std::chrono::microseconds duration);

  /// Removes the node and its leases, and tells the other nodes.
  Result<void> remove(const Node& node);

  /// Returns all nodes by id; lost ones until forgetLost() removes them.
  Result<std::vector<Node>> list();

  /// Returns the lost nodes whose work has not been given back.
  Result<std::vector<std::string>> unhandledLosses();
  Result<void> markHandled(std::string_view id);
  /// Removes nodes that were lost for longer than `age` and were handled.
  Result<void> forgetLost(std::chrono::microseconds age);

 private:
  storage::Database& database_;
  const Clock& schedule_;
};

}  // namespace spindle::cluster
