#include <string>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/json_object.h"
#include "app/commands/server_command.h"

namespace spindle::app {
namespace {

using json::Node;

/// Executes one command on the server.
class NodeCommandRunner : public ManagementRunner {
 public:
  using ManagementRunner::ManagementRunner;

  CommandOutput operator()(const ListNodes& /*command*/) {
    CommandOutput outcome;
    outcome.table.headings = {"id",    "url",   "state",      "version",
                              "roles", "tasks", "started_at", "seen_at"};
    api_.each("/nodes", [&](const Node& node) {
      outcome.table.rows.push_back({memberText(node, "id"), memberText(node, "url"),
                                    memberText(node, "state"), memberText(node, "version"),
                                    memberList(node, "roles"), memberList(node, "tasks"),
                                    memberText(node, "started_at"), memberText(node, "seen_at")});
    });
    return outcome;
  }
};

}  // namespace

int runGroup(const config::Loaded& loaded, const NodeCommand& command) {
  return runOnServer<NodeCommandRunner>(loaded, command);
}

}  // namespace spindle::app
