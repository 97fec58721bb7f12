#include <utility>

#include <fmt/format.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/find_server.h"
#include "app/commands/management_client.h"
#include "app/commands/table.h"
#include "http/message/uri.h"
#include "json/writer.h"

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
class TrainingCommandRunner {
 public:
  TrainingCommandRunner(transfer::ServerAddress server, bool json)
      : api_(std::move(server)), json_(json) {}

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
    if (json_) return jsonOutput(job);
    return {.text = fmt::format("{} is {}.\n", command.id, memberText(job.root(), "status"))};
  }

  CommandOutput operator()(const ExportTrajectories& command) {
    std::string body;
    json::Writer out(body);
    out.beginObject().key("project").string(command.project).key("name").string(command.name);
    out.key("format").string(command.format).key("source").string(command.source);
    if (command.unit) out.key("unit").string(*command.unit);
    if (command.query) out.key("query").raw(*command.query);
    if (command.op) {
      out.key("filter").beginObject().key("op_names").beginArray().string(*command.op);
      out.endArray().endObject();
    }
    if (command.reward) {
      out.key("reward").beginObject();
      if (command.feedback) out.key("feedback_type").string(*command.feedback);
      out.key("path").string(*command.reward).endObject();
    }
    if (command.min_reward) out.key("min_reward").number(*command.min_reward);
    if (command.group_by) out.key("group_by").string(*command.group_by);
    if (command.limit) out.key("limit").integer(*command.limit);
    out.endObject();
    const Document made = api_.ask(Method::kPost, "/trajectories", std::move(body));
    if (json_) return jsonOutput(made);
    const Node root = made.root();
    return {.text = fmt::format(
                "{}\n{}: {}, trajectories: {}, lines: {}\n", memberText(root, "artifact"),
                command.source == "agents" ? "traces" : "calls", memberText(root, "num_calls"),
                memberText(root, "num_trajectories"), memberText(root, "num_lines"))};
  }

 private:
  ManagementClient api_;
  const bool json_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const TrainingCommand& command) {
  return runAction<TrainingCommandRunner>(
      command.action, command.json, findServer(loaded.settings, command.server), command.json);
}

}  // namespace spindle::app
