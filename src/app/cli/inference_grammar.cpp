#include "app/cli/inference_grammar.h"

#include <CLI/CLI.hpp>

#include "app/cli/help.h"

namespace spindle::app {
struct InferenceGrammar::Actions {
  AddModel add_model;
  ListModels list_models;
  ShowModel show_model;
  RemoveModel remove_model;
  ListEngines list_engines;
  UnloadEngine unload_engine;
  ListQuarantine list_quarantine;
  ReleaseAdapter release_adapter;
  AddUpstream add_upstream;
  ListUpstreams list_upstreams;
  ShowUpstream show_upstream;
  RemoveUpstream remove_upstream;
  TestUpstream test_upstream;
  SetLimit set_limit;
  ListLimits list_limits;
  RemoveLimit remove_limit;
  ShowUsage show_usage;
  bool json = false;

  template <class Action>
  CLI::App* leaf(const CommandBuilder<InferenceCommand>& builder,
                 CLI::App* group,
                 const std::string& name,
                 const std::string& text,
                 Action& action) {
    CLI::App* app = builder.leaf(group, name, text, [this, &action, server = builder.server] {
      return InferenceCommand{action, server(), json};
    });
    app->add_flag("--json", json, "Print JSON");
    return app;
  }
};

InferenceGrammar::InferenceGrammar() : actions_(std::make_unique<Actions>()) {}
InferenceGrammar::~InferenceGrammar() = default;

void InferenceGrammar::addTo(const CommandBuilder<InferenceCommand>& builder) {
  addModels(builder);
  addEngines(builder);
  addUpstreams(builder);
  addLimits(builder);
  addUsage(builder);
}

void InferenceGrammar::addModels(const CommandBuilder<InferenceCommand>& builder) {
  CLI::App* model =
      builder.group("model", "Manage the models that clients request, and convert model files.");
  AddModel& made = actions_->add_model;
  CLI::App* add = actions_->leaf(builder, model, "add", "Add a model to the catalogue.", made);
  add->footer(modelAddHelp());
  addPositional(add, "NAME", made.name, "Name that requests use as `model`");
  add->add_option("--file", made.file,
                  "GGUF file on the server's machine, served by a local engine")
      ->type_name("FILE");
  add->add_option("--upstream", made.upstreams,
                  "Upstream that serves the model, and its model name there; may be "
                  "repeated")
      ->type_name("UPSTREAM[=MODEL]");
  add->add_option("--tier", made.tiers,
                  "Tier of each --upstream, in the same order; the lowest is tried first")
      ->type_name("N");
  add->add_option("--fallback", made.fallbacks, "Model to try when this one fails; may be repeated")
      ->type_name("NAME");
  add->add_option("--team", made.teams,
                  "Team that may use the model; all teams if omitted; may be repeated")
      ->type_name("TEAM");
  add->add_option("--ability", made.abilities,
                  "Supported endpoint: chat, completions or embeddings; may be repeated")
      ->check(CLI::IsMember({"chat", "completions", "embeddings"}))
      ->type_name("ABILITY");
  add->add_option("--context", made.context, "Context length of the engine per request, in tokens")
      ->type_name("N");
  add->add_option("--max-output", made.max_output, "Maximum completion tokens per request")
      ->type_name("N");
  add->add_option("--owned-by", made.owned_by, "Value of `owned_by` in the model list")
      ->type_name("NAME");
  add->add_flag("--start-at-boot", made.start_at_boot, "Start the engine when the server starts");
  actions_->leaf(builder, model, "ls", "List the models that you may use.", actions_->list_models);
  addPositional(actions_->leaf(builder, model, "show", "Show a model.", actions_->show_model),
                "NAME", actions_->show_model.name, "Name of the model");
  CLI::App* remove = actions_->leaf(builder, model, "rm", "Remove a model from the catalogue.",
                                    actions_->remove_model);
  addPositional(remove, "NAME", actions_->remove_model.name, "Name of the model");
  remove->add_flag("--force", actions_->remove_model.force,
                   "Remove the model even if it is a fallback or base of other models");
}

void InferenceGrammar::addEngines(const CommandBuilder<InferenceCommand>& builder) {
  CLI::App* engine = builder.group("engine", "Inspect and stop local inference engines.");
  actions_->leaf(builder, engine, "ls", "List the engines and their states.",
                 actions_->list_engines);
  addPositional(
      actions_->leaf(builder, engine, "unload", "Stop the engine of a model and free its memory.",
                     actions_->unload_engine),
      "MODEL", actions_->unload_engine.model, "Name of the model");
  actions_->leaf(builder, engine, "quarantine",
                 "List the quarantined adapters, which engines do not load.",
                 actions_->list_quarantine);
  addPositional(actions_->leaf(builder, engine, "release", "Release an adapter from quarantine.",
                               actions_->release_adapter),
                "ID", actions_->release_adapter.id,
                "Id of the adapter, as `spindle engine quarantine` prints it");
}

void InferenceGrammar::addUpstreams(const CommandBuilder<InferenceCommand>& builder) {
  CLI::App* upstream = builder.group("upstream", "Manage upstream model servers.");
  AddUpstream& made = actions_->add_upstream;
  CLI::App* add =
      actions_->leaf(builder, upstream, "add", "Add an OpenAI-compatible server.", made);
  add->footer(upstreamAddHelp());
  addPositional(add, "NAME", made.name, "Name of the upstream");
  addPositional(add, "ADDRESS", made.address,
                "Base URL of the API, such as https://api.example.com/v1");
  CLI::Option* from_input = add->add_flag("--key-stdin", made.key_from_input,
                                          "Read the upstream's API key from standard input");
  add->add_option("--key-env", made.key_variable,
                  "Environment variable with the upstream's API key")
      ->type_name("VARIABLE")
      ->excludes(from_input);
  add->add_option("--connect-timeout", made.connect_timeout, "Maximum time to connect")
      ->type_name("5s");
  add->add_option("--first-token-timeout", made.first_token_timeout,
                  "Maximum time until the response starts")
      ->type_name("2m");
  add->add_option("--idle-timeout", made.idle_timeout, "Maximum pause in a stream")
      ->type_name("1m");
  add->add_option("--health-path", made.health_path,
                  "Path of the health check, relative to ADDRESS")
      ->type_name("PATH");
  add->add_flag("--no-stream-usage", made.no_stream_usage,
                "The upstream does not support stream_options.include_usage");
  actions_->leaf(builder, upstream, "ls", "List the upstreams.", actions_->list_upstreams);
  addPositional(
      actions_->leaf(builder, upstream, "show", "Show an upstream.", actions_->show_upstream),
      "NAME", actions_->show_upstream.name, "Name of the upstream");
  CLI::App* remove =
      actions_->leaf(builder, upstream, "rm", "Remove an upstream.", actions_->remove_upstream);
  addPositional(remove, "NAME", actions_->remove_upstream.name, "Name of the upstream");
  remove->add_flag("--force", actions_->remove_upstream.force,
                   "Remove the upstream even if models use it");
  addPositional(actions_->leaf(builder, upstream, "test", "Call an upstream and list its models.",
                               actions_->test_upstream),
                "NAME", actions_->test_upstream.name, "Name of the upstream");
}

void InferenceGrammar::addLimits(const CommandBuilder<InferenceCommand>& builder) {
  CLI::App* limit = builder.group("limit", "Limit the inference usage of projects and API keys.");
  SetLimit& made = actions_->set_limit;
  CLI::App* set = actions_->leaf(builder, limit, "set",
                                 "Set or change the limits of a project or an API key.", made);
  set->footer(limitSetHelp());
  addPositional(set, "SUBJECT", made.subject, "TEAM/PROJECT, or the KEY ID of an API key: spk_...");
  set->add_option("--concurrency", made.concurrency, "Concurrent requests, or none")
      ->type_name("N");
  set->add_option("--requests", made.requests, "Requests per minute, or none")->type_name("N");
  set->add_option("--tokens", made.tokens, "Tokens per minute, or none")->type_name("N");
  set->add_option("--budget", made.budget, "US dollars per period, or none")->type_name("USD");
  set->add_option("--period", made.period, "Period of the budget: day, month or total")
      ->check(CLI::IsMember({"day", "month", "total"}))
      ->type_name("PERIOD");
  actions_->leaf(builder, limit, "ls", "List the limits.", actions_->list_limits);
  addPositional(
      actions_->leaf(builder, limit, "rm", "Remove the limits of a project or an API key.",
                     actions_->remove_limit),
      "SUBJECT", actions_->remove_limit.subject, "TEAM/PROJECT, or the KEY ID of an API key");
}

void InferenceGrammar::addUsage(const CommandBuilder<InferenceCommand>& builder) {
  ShowUsage& asked = actions_->show_usage;
  CLI::App* usage =
      actions_->leaf(builder, nullptr, "usage", "Show requests, tokens and cost.", asked);
  usage->footer(usageHelp());
  usage->add_option("--by", asked.by, "Group by any of day, model, project, user, key; or total")
      ->type_name("KEYS")
      ->default_str("day,model");
  usage->add_option("--from", asked.from, "Start time; 30 days ago if omitted")->type_name("TIME");
  usage->add_option("--to", asked.to, "End time; now if omitted")->type_name("TIME");
  usage->add_option("--project", asked.project, "Only usage of this project")
      ->type_name("TEAM/PROJECT");
  usage->add_option("--model", asked.model, "Only usage of this model")->type_name("MODEL");
  usage->add_option("--user", asked.user, "Only usage of this user")->type_name("USER");
  usage
      ->add_option("--api-key", asked.api_key,
                   "Only usage of the API key with this KEY ID: spk_...")
      ->type_name("KEY_ID");
}

}  // namespace spindle::app
