#include "app/training_grammar.h"

#include <CLI/CLI.hpp>

namespace spindle::app {

struct TrainingGrammar::Actions {
  ListTrainingJobs list;
  ShowTrainingJob show;
  CancelTrainingJob cancel;
  ExportTrajectories exported;
  bool json = false;

  template <class Action>
  CLI::App* leaf(const Words<TrainingCommand>& words,
                 CLI::App* group,
                 const std::string& name,
                 const std::string& text,
                 Action& action) {
    CLI::App* app = words.leaf(group, name, text, [this, &action, server = words.server] {
      return TrainingCommand{action, server(), json};
    });
    app->add_flag("--json", json, "Print JSON");
    return app;
  }
};

TrainingGrammar::TrainingGrammar() : actions_(std::make_unique<Actions>()) {}
TrainingGrammar::~TrainingGrammar() = default;

void TrainingGrammar::addTo(const Words<TrainingCommand>& words) {
  CLI::App* train = words.group("train", "Look after training jobs.");
  CLI::App* list =
      actions_->leaf(words, train, "ls", "List the training jobs of a project.", actions_->list);
  list->add_option("PROJECT", actions_->list.project, "TEAM/PROJECT")->required()->type_name("");
  list->add_option("--status", actions_->list.status, "Only those")
      ->check(CLI::IsMember({"PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"}))
      ->type_name("STATUS");
  actions_->leaf(words, train, "show", "Show a training job.", actions_->show)
      ->add_option("JOB", actions_->show.id, "Id of the job")
      ->required()
      ->type_name("");
  actions_->leaf(words, train, "cancel", "Cancel a training job.", actions_->cancel)
      ->add_option("JOB", actions_->cancel.id, "Id of the job")
      ->required()
      ->type_name("");
  addExport(words);
}

void TrainingGrammar::addExport(const Words<TrainingCommand>& words) {
  CLI::App* group = words.group("trajectories", "Make training data of traces.");
  ExportTrajectories& made = actions_->exported;
  CLI::App* app = actions_->leaf(words, group, "export",
                                 "Turn traced calls or agents into an artifact to train on.", made);
  app->add_option("PROJECT", made.project, "TEAM/PROJECT")->required()->type_name("");
  app->add_option("NAME", made.name, "Name of the artifact")->required()->type_name("");
  app->add_option("--format", made.format, "sft: examples; rl: groups with rewards")
      ->check(CLI::IsMember({"sft", "rl"}))
      ->type_name("FORMAT")
      ->default_str("sft");
  app->add_option("--source", made.source,
                  "calls: traced calls; agents: whole traces of agents, as conversations")
      ->check(CLI::IsMember({"calls", "agents"}))
      ->type_name("SOURCE")
      ->default_str("calls");
  app->add_option("--unit", made.unit,
                  "call: the answer of each call; trace: the last answer in its trace")
      ->check(CLI::IsMember({"call", "trace"}))
      ->type_name("UNIT");
  app->add_option("--query", made.query,
                  "Which calls or spans: JSON of the query language, or @FILE")
      ->type_name("QUERY");
  app->add_option("--op", made.op, "Only calls of this op")->type_name("NAME");
  app->add_option("--reward", made.reward,
                  "Where the reward stands: in calls (output.score), in spans (attributes.score), "
                  "or with --feedback in its payload (output.correct)")
      ->type_name("PATH");
  app->add_option("--feedback", made.feedback, "The type of feedback that holds the reward")
      ->type_name("TYPE");
  app->add_option("--min-reward", made.min_reward, "Leave out what has less")->type_name("N");
  app->add_option("--group-by", made.group_by, "What makes a group: input, trace, or thread")
      ->check(CLI::IsMember({"input", "trace", "thread"}))
      ->type_name("KEY");
  app->add_option("--limit", made.limit, "At most so many calls or traces")->type_name("N");
}

}  // namespace spindle::app
