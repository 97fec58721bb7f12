#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/grammars.h"
#include "json/document.h"

namespace spindle::app {
namespace {

/// Replaces `@FILE` by the content of the file and checks that it is JSON. @return the problem, or
/// nothing.
std::string toJson(std::string& given) {
  std::string text = given;
  if (given.starts_with('@')) {
    std::ifstream file(given.substr(1), std::ios::binary);
    if (!file) return "cannot read " + given.substr(1);
    text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
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
      group, "ls", "List the training jobs of a project.", ListTrainingJobs());
  addPositional(list, "PROJECT", listed.project, "TEAM/PROJECT");
  list->add_option("--status", listed.status, "Only jobs with this status")
      ->check(CLI::IsMember({"PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"}))
      ->type_name("STATUS");
  const auto [show, shown] =
      builder.add<TrainingCommand>(group, "show", "Show a training job.", ShowTrainingJob());
  addPositional(show, "JOB", shown.id, "Id of the job");
  const auto [cancel, cancelled] =
      builder.add<TrainingCommand>(group, "cancel", "Cancel a training job.", CancelTrainingJob());
  addPositional(cancel, "JOB", cancelled.id, "Id of the job");
}

void addTrajectoryExport(CommandBuilder& builder) {
  CLI::App* group = builder.group("trajectories", "Create training data from traces.");
  const auto [app, made] = builder.add<TrainingCommand>(
      group, "export", "Export traced calls or agent traces to an artifact for training.",
      ExportTrajectories());
  addPositional(app, "PROJECT", made.project, "TEAM/PROJECT");
  addPositional(app, "NAME", made.name, "Name of the artifact");
  app->add_option("--format", made.format, "sft: examples; rl: trajectory groups with rewards")
      ->check(CLI::IsMember({"sft", "rl"}))
      ->type_name("FORMAT")
      ->default_str("sft");
  app->add_option("--source", made.source,
                  "calls: traced calls; agents: agent traces, as conversations")
      ->check(CLI::IsMember({"calls", "agents"}))
      ->type_name("SOURCE")
      ->default_str("calls");
  app->add_option("--unit", made.unit,
                  "call: the answer of each call; trace: only the last answer of each trace")
      ->check(CLI::IsMember({"call", "trace"}))
      ->type_name("UNIT");
  app->add_option("--query", made.query, "Query that selects calls or spans, as JSON or @FILE")
      ->transform(CLI::Validator(toJson, "", "json"))
      ->type_name("QUERY");
  app->add_option(
         "--op", made.op,
         "Only calls of the op with this name, in any version; or a reference to one op version")
      ->type_name("NAME");
  CLI::Option* reward =
      app->add_option("--reward", made.reward,
                      "Path of the reward: in calls (output.score), in spans (attributes.score), "
                      "or with --feedback in its payload (output.correct)")
          ->type_name("PATH");
  app->add_option("--feedback", made.feedback, "Type of the feedback that contains the reward")
      ->needs(reward)
      ->type_name("TYPE");
  app->add_option("--min-reward", made.min_reward, "Exclude trajectories with a lower reward")
      ->needs(reward)
      ->check(CLI::Validator(checkNumber, "", "number"))
      ->type_name("N");
  app->add_option("--group-by", made.group_by, "Key of a trajectory group: input, trace or thread")
      ->check(CLI::IsMember({"input", "trace", "thread"}))
      ->type_name("KEY");
  app->add_option("--limit", made.limit, "Maximum number of calls or traces")->type_name("N");
}

}  // namespace

void addTrainingCommands(CommandBuilder& builder) {
  addJobs(builder);
  addTrajectoryExport(builder);
}

}  // namespace spindle::app
