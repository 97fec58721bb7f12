#include "cluster/node.h"

namespace spindle::cluster {

std::string_view textOf(NodeState state) {
  switch (state) {
    case NodeState::kReady:
      return "ready";
    case NodeState::kDraining:
      return "draining";
    case NodeState::kLost:
      break;
  }
  return "lost";
}

}  // namespace spindle::cluster
