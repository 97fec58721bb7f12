#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/given_file.h"
#include "app/cli/grammars.h"
#include "app/cli/options.h"
#include "json/document.h"

namespace spindle::app {
namespace {

/// Replaces `@FILE` by the content of the file and checks that it is JSON. @return the problem, or
/// nothing.
std::string toJson(std::string& given) {
  std::string text = given;
  if (given.starts_with('@')) {
    try {
      text = fileText(given.substr(1));
    } catch (const std::runtime_error&) {
      return "cannot read " + given.substr(1);
    }
  }
  const auto parsed = json::Document::parse(text);
  if (const auto* problem = std::get_if<json::SyntaxError>(&parsed)) {
    return fmt::format("this is not valid JSON: {} at character {}", problem->message,
                       problem->position + 1);
  }
  given = std::move(text);
  return {};
}

std::string checkNumber(const std::string& given) {
  double number = 0;
  const char* const end = given.data() + given.size();
  const auto [stop, problem] = std::from_chars(given.data(), end, number);
  if (problem == std::errc() && stop == end && std::isfinite(number)) return {};
  return fmt::format("expected a number such as 0.5, but found \"{}\"", given);
}

void addJobs(CommandBuilder& builder) {
  CLI::App* group = builder.group("train", "List, show and cancel training jobs.");
  const auto [list, listed] = builder.add<TrainingCommand>(
      group, {"ls", "List the training jobs of a project."}, ListTrainingJobs(),
      {{"PROJECT", &ListTrainingJobs::project, "TEAM/PROJECT"}});
  addOption(list, "--status", listed.status, "STATUS", "Only jobs with this status")
      ->check(CLI::IsMember({"PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"}));
  builder.add<TrainingCommand>(group, {"show", "Show a training job."}, ShowTrainingJob(),
                               {{"JOB", &ShowTrainingJob::id, "Id of the job"}});
  builder.add<TrainingCommand>(group, {"cancel", "Cancel a training job."}, CancelTrainingJob(),
                               {{"JOB", &CancelTrainingJob::id, "Id of the job"}});
}

void addTrajectoryExport(CommandBuilder& builder) {
  CLI::App* group = builder.group("trajectories", "Create training data from traces.");
  const auto [app, made] = builder.add<TrainingCommand>(
      group, {"export", "Export traced calls or agent traces to an artifact for training."},
      ExportTrajectories(),
      {{"PROJECT", &ExportTrajectories::project, "TEAM/PROJECT"},
       {"NAME", &ExportTrajectories::name, "Name of the artifact"}});
  addOption(app, "--format", made.format, "FORMAT",
            "sft: examples; rl: trajectory groups with rewards")
      ->check(CLI::IsMember({"sft", "rl"}))
      ->default_str("sft");
  addOption(app, "--source", made.source, "SOURCE",
            "calls: traced calls; agents: agent traces, as conversations")
      ->check(CLI::IsMember({"calls", "agents"}))
      ->default_str("calls");
  addOption(app, "--unit", made.unit, "UNIT",
            "call: the answer of each call; trace: only the last answer of each trace")
      ->check(CLI::IsMember({"call", "trace"}));
  addOption(app, "--query", made.query, "QUERY",
            "Query that selects calls or spans, as JSON or @FILE")
      ->transform(CLI::Validator(toJson, "", "json"));
  addOption(
      app, "--op", made.op, "NAME",
      "Only calls of the op with this name, in any version; or a reference to one op version");
  CLI::Option* reward =
      addOption(app, "--reward", made.reward, "PATH",
                "Path of the reward: in calls (output.score), in spans (attributes.score), "
                "or with --feedback in its payload (output.correct)");
  addOption(app, "--feedback", made.feedback, "TYPE",
            "Type of the feedback that contains the reward")
      ->needs(reward);
  addOption(app, "--min-reward", made.min_reward, "N", "Exclude trajectories with a lower reward")
      ->needs(reward)
      ->check(CLI::Validator(checkNumber, "", "number"));
  addOption(app, "--group-by", made.group_by, "KEY",
            "Key of a trajectory group: input, trace or thread")
      ->check(CLI::IsMember({"input", "trace", "thread"}));
  addOption(app, "--limit", made.limit, "N", "Maximum number of calls or traces");
}

}  // namespace

void addTrainingCommands(CommandBuilder& builder) {
  addJobs(builder);
  addTrajectoryExport(builder);
}

}  // namespace spindle::app
