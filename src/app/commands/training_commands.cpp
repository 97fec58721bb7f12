#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/json_object.h"
#include "app/commands/server_command.h"
#include "app/commands/table.h"
#include "http/message/uri.h"

namespace spindle::app {
namespace {

using http::Method;
using json::Document, json::Node;

/// Returns the progress of a job as a percentage; empty when it is unknown.
std::string percentIn(const Node& job) {
  const std::optional<Node> progress = job.find("progress");
  return progress && progress->isNumber() ? fmt::format("{:.0f} %", progress->number() * 100) : "";
}

std::string jobPath(const std::string& id) { return "/training-jobs/" + http::percentEncode(id); }

/// Executes one command on the server.
class TrainingCommandRunner : public ManagementRunner {
 public:
  using ManagementRunner::ManagementRunner;

  CommandOutput operator()(const ListTrainingJobs& command) {
    CommandOutput outcome;
    outcome.table.headings = {"id", "kind", "model", "status", "progress", "created_at"};
    std::string path = "/training-jobs?project=" + http::percentEncode(command.project);
    if (command.status) path += "&status=" + *command.status;
    api_.each(path, [&](const Node& job) {
      outcome.table.rows.push_back({memberText(job, "id"), memberText(job, "kind"),
                                    memberText(job, "model"), memberText(job, "status"),
                                    percentIn(job), memberText(job, "created_at")});
    });
    return outcome;
  }

  CommandOutput operator()(const ShowTrainingJob& command) {
    const Document job = api_.ask(Method::kGet, jobPath(command.id));
    return jsonOutput(job);
  }

  CommandOutput operator()(const CancelTrainingJob& command) {
    const Document job = api_.ask(Method::kPost, jobPath(command.id) + "/cancel");
    return shown(job, fmt::format("{} is {}.\n", command.id, memberText(job.root(), "status")));
  }

  CommandOutput operator()(const ExportTrajectories& command) {
    std::optional<json::Text> query;
    if (command.query) query = json::Text{*command.query};
    std::vector<std::string> ops;
    if (command.op) ops.push_back(*command.op);
    const Document made = api_.ask(
        Method::kPost, "/trajectories",
        jsonObject({{"project", command.project},
                    {"name", command.name},
                    {"format", command.format},
                    {"source", command.source},
                    {"unit", command.unit},
                    {"query", query},
                    {"filter", objectIfAny({{"op_names", listIfAny(ops)}})},
                    {"reward",
                     objectIfAny({{"feedback_type", command.feedback}, {"path", command.reward}})},
                    {"min_reward", command.min_reward},
                    {"group_by", command.group_by},
                    {"limit", command.limit}}));
    if (json_) return jsonOutput(made);
    const Node root = made.root();
    return {.text = fmt::format(
                "{}\n{}: {}, trajectories: {}, lines: {}\n", memberText(root, "artifact"),
                command.source == "agents" ? "traces" : "calls", memberText(root, "num_calls"),
                memberText(root, "num_trajectories"), memberText(root, "num_lines"))};
  }
};

}  // namespace

int runGroup(const config::Loaded& loaded, const TrainingCommand& command) {
  return runOnServer<TrainingCommandRunner>(loaded, command);
}

}  // namespace spindle::app
