#include "app/inference_grammar.h"

#include <CLI/CLI.hpp>

#include "app/help.h"

namespace spindle::app {
namespace {

CLI::Option* word(CLI::App* app,
                  const std::string& name,
                  std::string& target,
                  const std::string& text) {
  return app->add_option(name, target, text)->required()->type_name("");
}

}  // namespace

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
  CLI::App* leaf(const Words<InferenceCommand>& words,
                 CLI::App* group,
                 const std::string& name,
                 const std::string& text,
                 Action& action) {
    CLI::App* app = words.leaf(group, name, text, [this, &action, server = words.server] {
      return InferenceCommand{action, server(), json};
    });
    app->add_flag("--json", json, "Print JSON");
    return app;
  }
};

InferenceGrammar::InferenceGrammar() : actions_(std::make_unique<Actions>()) {}
InferenceGrammar::~InferenceGrammar() = default;

void InferenceGrammar::addTo(const Words<InferenceCommand>& words) {
  addModels(words);
  addEngines(words);
  addUpstreams(words);
  addLimits(words);
  addUsage(words);
}

void InferenceGrammar::addModels(const Words<InferenceCommand>& words) {
  CLI::App* model = words.group("model", "Serve models, and make model files.");
  AddModel& made = actions_->add_model;
  CLI::App* add = actions_->leaf(words, model, "add", "Serve a model under a name.", made);
  add->footer(modelAddHelp());
  word(add, "NAME", made.name, "The `model` of requests");
  add->add_option("--file", made.file, "GGUF file on the server's machine")->type_name("FILE");
  add->add_option("--upstream", made.upstreams,
                  "Who answers, and what it is called there; may be "
                  "repeated")
      ->type_name("UPSTREAM[=MODEL]");
  add->add_option("--tier", made.tiers,
                  "Of the upstreams, in their order: the lowest is asked first")
      ->type_name("N");
  add->add_option("--fallback", made.fallbacks, "Model to ask when this fails; may be repeated")
      ->type_name("NAME");
  add->add_option("--team", made.teams, "Team that may use it; every team when left out")
      ->type_name("TEAM");
  add->add_option("--ability", made.abilities, "chat, completions or embeddings; may be repeated")
      ->check(CLI::IsMember({"chat", "completions", "embeddings"}))
      ->type_name("ABILITY");
  add->add_option("--context", made.context, "Tokens that one request to the engine has room for")
      ->type_name("N");
  add->add_option("--max-output", made.max_output, "The most tokens of one answer")->type_name("N");
  add->add_option("--owned-by", made.owned_by, "As the model list shows it")->type_name("NAME");
  add->add_flag("--start-at-boot", made.start_at_boot, "Load the file when the server starts");
  actions_->leaf(words, model, "ls", "List the models that you may use.", actions_->list_models);
  word(actions_->leaf(words, model, "show", "Show a model.", actions_->show_model), "NAME",
       actions_->show_model.name, "Name of the model");
  CLI::App* remove =
      actions_->leaf(words, model, "rm", "Stop serving a model.", actions_->remove_model);
  word(remove, "NAME", actions_->remove_model.name, "Name of the model");
  remove->add_flag("--force", actions_->remove_model.force, "Also when others fall back to it");
}

void InferenceGrammar::addEngines(const Words<InferenceCommand>& words) {
  CLI::App* engine = words.group("engine", "Look after the models in memory.");
  actions_->leaf(words, engine, "ls", "List the engines and how they are.", actions_->list_engines);
  word(actions_->leaf(words, engine, "unload", "Take a model out of memory.",
                      actions_->unload_engine),
       "MODEL", actions_->unload_engine.model, "Name of the model");
  actions_->leaf(words, engine, "quarantine", "List adapters that engines do not load.",
                 actions_->list_quarantine);
  word(actions_->leaf(words, engine, "release", "Release an adapter from quarantine.",
                      actions_->release_adapter),
       "ID", actions_->release_adapter.id, "The adapter, as `engine quarantine` lists it");
}

void InferenceGrammar::addUpstreams(const Words<InferenceCommand>& words) {
  CLI::App* upstream = words.group("upstream", "Manage servers that answer for models.");
  AddUpstream& made = actions_->add_upstream;
  CLI::App* add = actions_->leaf(words, upstream, "add", "Add an OpenAI-compatible server.", made);
  add->footer(upstreamAddHelp());
  word(add, "NAME", made.name, "What to call it");
  word(add, "ADDRESS", made.address, "Where its API begins, as in https://api.example.com/v1");
  CLI::Option* from_input =
      add->add_flag("--key-stdin", made.key_from_input, "Read its key from standard input");
  add->add_option("--key-env", made.key_variable, "Environment variable that holds its key")
      ->type_name("VARIABLE")
      ->excludes(from_input);
  add->add_option("--connect-timeout", made.connect_timeout, "How long connecting may take")
      ->type_name("5s");
  add->add_option("--first-token-timeout", made.first_token_timeout,
                  "How long it may take until an answer begins")
      ->type_name("2m");
  add->add_option("--idle-timeout", made.idle_timeout, "How long a stream may pause")
      ->type_name("1m");
  add->add_option("--health-path", made.health_path,
                  "Asked behind the address to see whether it is well")
      ->type_name("PATH");
  add->add_flag("--no-stream-usage", made.no_stream_usage,
                "It does not know stream_options.include_usage");
  actions_->leaf(words, upstream, "ls", "List the upstreams.", actions_->list_upstreams);
  word(actions_->leaf(words, upstream, "show", "Show an upstream.", actions_->show_upstream),
       "NAME", actions_->show_upstream.name, "Name of the upstream");
  CLI::App* remove =
      actions_->leaf(words, upstream, "rm", "Remove an upstream.", actions_->remove_upstream);
  word(remove, "NAME", actions_->remove_upstream.name, "Name of the upstream");
  remove->add_flag("--force", actions_->remove_upstream.force, "Also from under models");
  word(actions_->leaf(words, upstream, "test", "Ask an upstream for its models.",
                      actions_->test_upstream),
       "NAME", actions_->test_upstream.name, "Name of the upstream");
}

void InferenceGrammar::addLimits(const Words<InferenceCommand>& words) {
  CLI::App* limit = words.group("limit", "Limit what projects and keys may use.");
  SetLimit& made = actions_->set_limit;
  CLI::App* set =
      actions_->leaf(words, limit, "set", "Limit a project or a key, or change its limit.", made);
  set->footer(limitSetHelp());
  word(set, "SUBJECT", made.subject, "TEAM/PROJECT, or the first part of a key: spk_...");
  set->add_option("--concurrency", made.concurrency, "Requests at the same time, or none")
      ->type_name("N");
  set->add_option("--requests", made.requests, "Requests a minute, or none")->type_name("N");
  set->add_option("--tokens", made.tokens, "Tokens a minute, or none")->type_name("N");
  set->add_option("--budget", made.budget, "Dollars in a period, or none")->type_name("USD");
  set->add_option("--period", made.period, "When the budget begins anew: day, month or total")
      ->check(CLI::IsMember({"day", "month", "total"}))
      ->type_name("PERIOD");
  actions_->leaf(words, limit, "ls", "List limits.", actions_->list_limits);
  word(actions_->leaf(words, limit, "rm", "Remove a limit.", actions_->remove_limit), "SUBJECT",
       actions_->remove_limit.subject, "TEAM/PROJECT, or the first part of a key");
}

void InferenceGrammar::addUsage(const Words<InferenceCommand>& words) {
  ShowUsage& asked = actions_->show_usage;
  CLI::App* usage =
      actions_->leaf(words, nullptr, "usage", "Show what was used, and what it cost.", asked);
  usage->footer(usageHelp());
  usage->add_option("--by", asked.by, "Any of day, model, project, user, key; or total")
      ->type_name("KEYS")
      ->default_str("day,model");
  usage->add_option("--from", asked.from, "When it begins; 30 days ago when left out")
      ->type_name("TIME");
  usage->add_option("--to", asked.to, "When it ends; now when left out")->type_name("TIME");
  usage->add_option("--project", asked.project, "Only of this project")->type_name("TEAM/PROJECT");
  usage->add_option("--model", asked.model, "Only of this model")->type_name("MODEL");
  usage->add_option("--user", asked.user, "Only of this user")->type_name("USER");
  usage->add_option("--api-key", asked.api_key, "Only of this key, by its first part")
      ->type_name("KEY_ID");
}

}  // namespace spindle::app
