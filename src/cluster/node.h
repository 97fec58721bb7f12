#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::cluster {

enum class NodeState {
  kReady,
  kDraining,  ///< it is stopping; load balancers send it no new requests
  kLost       ///< its heartbeats have ended without a farewell
};

std::string_view textOf(NodeState state);

/// One process `spindle serve` of a deployment.
struct Node {
  std::string id;           ///< stays the same when the process restarts on its data folder
  std::string incarnation;  ///< random per process
  std::string url;          ///< where other nodes and operators reach this node
  std::string version;
  std::string roles;  ///< separated by commas
  Timestamp started_at = {};
  Timestamp seen_at = {};  ///< the latest heartbeat
  NodeState state = NodeState::kReady;
  std::vector<std::string> tasks = {};  ///< background tasks that belong to it
};

}  // namespace spindle::cluster
