#include "app/cli/grammars.h"
#include "app/cli/node_command.h"

namespace spindle::app {

void addNodeCommands(CommandBuilder& builder) {
  CLI::App* group = builder.group("node", "Show the processes that share one PostgreSQL database.");
  builder.add<NodeCommand>(
      group, {"ls", "List the nodes, their states and the background tasks that they do."},
      ListNodes());
}

}  // namespace spindle::app
