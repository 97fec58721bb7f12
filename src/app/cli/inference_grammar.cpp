#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"

namespace spindle::app {
namespace {

constexpr const char* kModelImportHelp = R"(
Supports the Llama, Qwen2 and Qwen3 families with a byte-level BPE vocabulary. Memory use does not
depend on the size of the model. The GGUF file appears when it is complete.

Examples:
  spindle model import ./Qwen3-0.6B qwen3.gguf
  spindle model import ./Qwen3-0.6B small.gguf --type q8_0
  spindle model add small --file $PWD/small.gguf)";

constexpr const char* kModelAddHelp = R"(
A model has targets: a GGUF file, which a local engine serves, or upstreams, or both. The targets of
the lowest tier share the requests. When all of them fail, the gateway tries the next tier, then the
fallbacks in order. Clients can request the model immediately.

Examples:
  spindle model add small --file ./small.gguf --start-at-boot
  spindle model add qwen3 --upstream vllm-1=Qwen/Qwen3-14B --upstream vllm-2=Qwen/Qwen3-14B
  spindle model add chat --upstream vllm-1 --upstream hosted=gpt-4o-mini --tier 0 --tier 1
  spindle model add answers --upstream hosted=gpt-4o --fallback small --team research)";

constexpr const char* kUpstreamAddHelp = R"(
The server stores the upstream's API key encrypted and never shows it again. Pass the key on
standard input or in an environment variable: other users can see command lines.

Examples:
  spindle upstream add vllm-1 http://10.0.0.5:8000/v1
  spindle upstream add hosted https://api.example.com/v1 --key-env PROVIDER_KEY
  spindle upstream add hosted https://api.example.com/v1 --key-stdin < key.txt)";

constexpr const char* kLimitSetHelp = R"(
Limits without a flag stay unchanged; `none` removes a limit. A request reserves its maximum cost
before it is sent, so a budget is never exceeded.

Examples:
  spindle limit set research/chat --requests 600 --tokens 200000
  spindle limit set research/chat --budget 50 --period month
  spindle limit set spk_Ab12Cd34Ef56 --concurrency 4
  spindle limit set research/chat --budget none)";

constexpr const char* kUsageHelp = R"(
Costs use the current prices (`spindle prices ls`). Latencies include only successful requests.

Examples:
  spindle usage
  spindle usage --by project,model --from 2026-11-01
  spindle usage --by user --project research/chat
  spindle usage --by total --json)";

/// Returns the group of the commands `spindle model`.
CLI::App* modelGroup(CommandBuilder& builder) {
  return builder.group("model", "Manage the models that clients request, and convert model files.");
}

void addModels(CommandBuilder& builder) {
  CLI::App* group = modelGroup(builder);
  const auto [add, made] =
      builder.add<InferenceCommand>(group, "add", "Add a model to the catalogue.", AddModel());
  add->footer(kModelAddHelp);
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
  builder.add<InferenceCommand>(group, "ls", "List the models that you may use.", ListModels());
  const auto [show, shown] =
      builder.add<InferenceCommand>(group, "show", "Show a model.", ShowModel());
  addPositional(show, "NAME", shown.name, "Name of the model");
  const auto [remove, removed] = builder.add<InferenceCommand>(
      group, "rm", "Remove a model from the catalogue.", RemoveModel());
  addPositional(remove, "NAME", removed.name, "Name of the model");
  remove->add_flag("--force", removed.force,
                   "Remove the model even if it is a fallback or base of other models");
}

void addEngines(CommandBuilder& builder) {
  CLI::App* group = builder.group("engine", "Inspect and stop local inference engines.");
  builder.add<InferenceCommand>(group, "ls", "List the engines and their states.", ListEngines());
  const auto [unload, unloaded] = builder.add<InferenceCommand>(
      group, "unload", "Stop the engine of a model and free its memory.", UnloadEngine());
  addPositional(unload, "MODEL", unloaded.model, "Name of the model");
  builder.add<InferenceCommand>(group, "quarantine",
                                "List the quarantined adapters, which engines do not load.",
                                ListQuarantine());
  const auto [release, released] = builder.add<InferenceCommand>(
      group, "release", "Release an adapter from quarantine.", ReleaseAdapter());
  addPositional(release, "ID", released.id,
                "Id of the adapter, as `spindle engine quarantine` prints it");
}

void addUpstreams(CommandBuilder& builder) {
  CLI::App* group = builder.group("upstream", "Manage upstream model servers.");
  const auto [add, made] = builder.add<InferenceCommand>(
      group, "add", "Add an OpenAI-compatible server.", AddUpstream());
  add->footer(kUpstreamAddHelp);
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
  builder.add<InferenceCommand>(group, "ls", "List the upstreams.", ListUpstreams());
  const auto [show, shown] =
      builder.add<InferenceCommand>(group, "show", "Show an upstream.", ShowUpstream());
  addPositional(show, "NAME", shown.name, "Name of the upstream");
  const auto [remove, removed] =
      builder.add<InferenceCommand>(group, "rm", "Remove an upstream.", RemoveUpstream());
  addPositional(remove, "NAME", removed.name, "Name of the upstream");
  remove->add_flag("--force", removed.force, "Remove the upstream even if models use it");
  const auto [test, tested] = builder.add<InferenceCommand>(
      group, "test", "Call an upstream and list its models.", TestUpstream());
  addPositional(test, "NAME", tested.name, "Name of the upstream");
}

void addLimits(CommandBuilder& builder) {
  CLI::App* group = builder.group("limit", "Limit the inference usage of projects and API keys.");
  const auto [set, made] = builder.add<InferenceCommand>(
      group, "set", "Set or change the limits of a project or an API key.", SetLimit());
  set->footer(kLimitSetHelp);
  addPositional(set, "SUBJECT", made.subject, "TEAM/PROJECT, or the KEY ID of an API key: spk_...");
  set->add_option("--concurrency", made.concurrency, "Concurrent requests, or none")
      ->type_name("N");
  set->add_option("--requests", made.requests, "Requests per minute, or none")->type_name("N");
  set->add_option("--tokens", made.tokens, "Tokens per minute, or none")->type_name("N");
  set->add_option("--budget", made.budget, "US dollars per period, or none")->type_name("USD");
  set->add_option("--period", made.period, "Period of the budget: day, month or total")
      ->check(CLI::IsMember({"day", "month", "total"}))
      ->type_name("PERIOD");
  builder.add<InferenceCommand>(group, "ls", "List the limits.", ListLimits());
  const auto [remove, removed] = builder.add<InferenceCommand>(
      group, "rm", "Remove the limits of a project or an API key.", RemoveLimit());
  addPositional(remove, "SUBJECT", removed.subject, "TEAM/PROJECT, or the KEY ID of an API key");
}

void addUsage(CommandBuilder& builder) {
  const auto [usage, asked] = builder.add<InferenceCommand>(
      nullptr, "usage", "Show requests, tokens and cost.", ShowUsage());
  usage->footer(kUsageHelp);
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

}  // namespace

void addInferenceCommands(CommandBuilder& builder) {
  addModels(builder);
  addEngines(builder);
  addUpstreams(builder);
  addLimits(builder);
  addUsage(builder);
}

void addModelImport(CommandBuilder& builder) {
  const auto [import, made] =
      builder.add(modelGroup(builder), "import", "Convert a Hugging Face folder to a GGUF file.",
                  ModelCommand(), [](const ModelCommand& command) { return Command(command); });
  import->footer(kModelImportHelp);
  addPositional(import, "FOLDER", made.folder, "With config.json, tokenizer.json, *.safetensors");
  addPositional(import, "FILE", made.file, "The GGUF file to write");
  import->add_option("--name", made.name, "Name of the model")->type_name("NAME");
  import->add_option("--type", made.type, "Data type of matrices; unchanged if omitted")
      ->type_name("f32|f16|bf16|q8_0")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "q8_0"}));
}

}  // namespace spindle::app
