#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

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
  spindle model add small --file ./small.gguf --upload
  spindle model add qwen3 --upstream vllm-1=Qwen/Qwen3-14B --upstream vllm-2=Qwen/Qwen3-14B
  spindle model add chat --upstream vllm-1 --upstream hosted=gpt-4o-mini --tier 0 --tier 1
  spindle model add answers --upstream hosted=gpt-4o --fallback small --team research)";

constexpr const char* kUpstreamAddHelp = R"(
The server stores the upstream's API key encrypted and never shows it again. Pass the key on
standard input or in an environment variable: other users can see command lines.

Examples:
  spindle upstream add vllm-1 http://10.0.0.5:8000/v1
  spindle upstream add vllm-2 http://10.0.0.6:8000/v1 --adapters vllm --adapter-path /mnt/adapters
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
  const auto [add, made] = builder.add<InferenceCommand>(
      group, {"add", "Add a model to the catalogue.", kModelAddHelp}, AddModel(),
      {{"NAME", &AddModel::name, "Name that requests use as `model`"}});
  addOption(add, "--file", made.file, "FILE",
            "GGUF file on the server's machine, served by a local engine");
  add->add_flag("--upload", made.upload,
                "Send --file, a file on this machine, to the file store of the server")
      ->needs("--file");
  addOption(
      add, "--folder", made.folder, "FOLDER",
      "Hugging Face folder on the server's machine, the base model for trainers that need one");
  addOption(add, "--upstream", made.upstreams, "UPSTREAM[=MODEL]",
            "Upstream that serves the model, and its model name there; may be "
            "repeated");
  addOption(add, "--tier", made.tiers, "N",
            "Tier of each --upstream, in the same order; the lowest is tried first");
  addOption(add, "--fallback", made.fallbacks, "NAME",
            "Model to try when this one fails; may be repeated");
  addOption(add, "--team", made.teams, "TEAM",
            "Team that may use the model; all teams if omitted; may be repeated");
  addOption(add, "--ability", made.abilities, "ABILITY",
            "Supported endpoint: chat, completions or embeddings; may be repeated")
      ->check(CLI::IsMember({"chat", "completions", "embeddings"}));
  addOption(add, "--context", made.context, "N",
            "Context length of the engine per request, in tokens");
  addOption(add, "--max-output", made.max_output, "N", "Maximum completion tokens per request");
  addOption(add, "--owned-by", made.owned_by, "NAME", "Value of `owned_by` in the model list");
  add->add_flag("--start-at-boot", made.start_at_boot, "Start the engine when the server starts");
  builder.add<InferenceCommand>(
      group, {"upload", "Send the file of a model to the file store of the server."}, UploadModel(),
      {{"NAME", &UploadModel::name, "Name of the model"},
       {"FILE", &UploadModel::file, "GGUF file on this machine"}});
  builder.add<InferenceCommand>(group, {"ls", "List the models that you may use."}, ListModels());
  builder.add<InferenceCommand>(group, {"show", "Show a model."}, ShowModel(),
                                {{"NAME", &ShowModel::name, "Name of the model"}});
  const auto [remove, removed] = builder.add<InferenceCommand>(
      group, {"rm", "Remove a model from the catalogue."}, RemoveModel(),
      {{"NAME", &RemoveModel::name, "Name of the model"}});
  remove->add_flag("--force", removed.force,
                   "Remove the model even if it is a fallback or base of other models");
}

void addEngines(CommandBuilder& builder) {
  CLI::App* group = builder.group("engine", "Inspect and stop local inference engines.");
  builder.add<InferenceCommand>(group, {"ls", "List the engines and their states."}, ListEngines());
  builder.add<InferenceCommand>(
      group, {"unload", "Stop the engine of a model and free its memory."}, UnloadEngine(),
      {{"MODEL", &UnloadEngine::model, "Name of the model"}});
  builder.add<InferenceCommand>(
      group, {"quarantine", "List the quarantined adapters, which engines do not load."},
      ListQuarantine());
  builder.add<InferenceCommand>(
      group, {"release", "Release an adapter from quarantine."}, ReleaseAdapter(),
      {{"ID", &ReleaseAdapter::id, "Id of the adapter, as `spindle engine quarantine` prints it"}});
}

void addUpstreams(CommandBuilder& builder) {
  CLI::App* group = builder.group("upstream", "Manage upstream model servers.");
  const auto [add, made] = builder.add<InferenceCommand>(
      group, {"add", "Add an OpenAI-compatible server.", kUpstreamAddHelp}, AddUpstream(),
      {{"NAME", &AddUpstream::name, "Name of the upstream"},
       {"ADDRESS", &AddUpstream::address,
        "Base URL of the API, such as https://api.example.com/v1"}});
  CLI::Option* from_input = add->add_flag("--key-stdin", made.key_from_input,
                                          "Read the upstream's API key from standard input");
  addOption(add, "--key-env", made.key_variable, "VARIABLE",
            "Environment variable with the upstream's API key")
      ->excludes(from_input);
  addOption(add, "--connect-timeout", made.connect_timeout, "5s", "Maximum time to connect");
  addOption(add, "--first-token-timeout", made.first_token_timeout, "2m",
            "Maximum time until the response starts");
  addOption(add, "--idle-timeout", made.idle_timeout, "1m", "Maximum pause in a stream");
  addOption(add, "--health-path", made.health_path, "PATH",
            "Path of the health check, relative to ADDRESS");
  add->add_flag("--no-stream-usage", made.no_stream_usage,
                "The upstream does not support stream_options.include_usage");
  addOption(add, "--adapters", made.adapters, "none|vllm",
            "How trained adapters get into the upstream; none if omitted")
      ->check(CLI::IsMember({"none", "vllm"}));
  addOption(add, "--adapter-path", made.adapter_path, "PATH",
            "Folder of adapters on the host of the upstream");
  addOption(add, "--adapter-receiver", made.adapter_receiver, "ADDRESS",
            "URL of the adapter receiver on the host of the upstream");
  addOption(add, "--max-adapters", made.max_adapters, "N",
            "Adapters that the server keeps loaded in the upstream");
  addOption(add, "--adapter-load-timeout", made.adapter_load_timeout, "2m",
            "Maximum time to transfer an adapter, and to load it");
  builder.add<InferenceCommand>(group, {"ls", "List the upstreams."}, ListUpstreams());
  builder.add<InferenceCommand>(group, {"show", "Show an upstream."}, ShowUpstream(),
                                {{"NAME", &ShowUpstream::name, "Name of the upstream"}});
  const auto [remove, removed] =
      builder.add<InferenceCommand>(group, {"rm", "Remove an upstream."}, RemoveUpstream(),
                                    {{"NAME", &RemoveUpstream::name, "Name of the upstream"}});
  remove->add_flag("--force", removed.force, "Remove the upstream even if models use it");
  builder.add<InferenceCommand>(group, {"test", "Call an upstream and list its models."},
                                TestUpstream(),
                                {{"NAME", &TestUpstream::name, "Name of the upstream"}});
  builder.add<InferenceCommand>(
      group, {"adapters", "List the adapters that the server has loaded into an upstream."},
      ListUpstreamAdapters(), {{"NAME", &ListUpstreamAdapters::name, "Name of the upstream"}});
}

void addLimits(CommandBuilder& builder) {
  CLI::App* group = builder.group("limit", "Limit the inference usage of projects and API keys.");
  const auto [set, made] = builder.add<InferenceCommand>(
      group, {"set", "Set or change the limits of a project or an API key.", kLimitSetHelp},
      SetLimit(),
      {{"SUBJECT", &SetLimit::subject, "TEAM/PROJECT, or the KEY ID of an API key: spk_..."}});
  addOption(set, "--concurrency", made.concurrency, "N", "Concurrent requests, or none");
  addOption(set, "--requests", made.requests, "N", "Requests per minute, or none");
  addOption(set, "--tokens", made.tokens, "N", "Tokens per minute, or none");
  addOption(set, "--budget", made.budget, "USD", "US dollars per period, or none");
  addOption(set, "--period", made.period, "PERIOD", "Period of the budget: day, month or total")
      ->check(CLI::IsMember({"day", "month", "total"}));
  builder.add<InferenceCommand>(group, {"ls", "List the limits."}, ListLimits());
  builder.add<InferenceCommand>(
      group, {"rm", "Remove the limits of a project or an API key."}, RemoveLimit(),
      {{"SUBJECT", &RemoveLimit::subject, "TEAM/PROJECT, or the KEY ID of an API key"}});
}

void addUsage(CommandBuilder& builder) {
  const auto [usage, asked] = builder.add<InferenceCommand>(
      nullptr, {"usage", "Show requests, tokens and cost.", kUsageHelp}, ShowUsage());
  addOption(usage, "--by", asked.by, "KEYS",
            "Group by any of day, model, project, user, key; or total")
      ->default_str("day,model");
  addOption(usage, "--from", asked.from, "TIME", "Start time; 30 days ago if omitted");
  addOption(usage, "--to", asked.to, "TIME", "End time; now if omitted");
  addOption(usage, "--project", asked.project, "TEAM/PROJECT", "Only usage of this project");
  addOption(usage, "--model", asked.model, "MODEL", "Only usage of this model");
  addOption(usage, "--user", asked.user, "USER", "Only usage of this user");
  addOption(usage, "--api-key", asked.api_key, "KEY_ID",
            "Only usage of the API key with this KEY ID: spk_...");
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
      builder.add(modelGroup(builder),
                  {"import", "Convert a Hugging Face folder to a GGUF file.", kModelImportHelp},
                  ModelCommand(), [](const ModelCommand& command) { return Command(command); });
  addPositional(import, "FOLDER", made.folder, "With config.json, tokenizer.json, *.safetensors");
  addPositional(import, "FILE", made.file, "The GGUF file to write");
  addOption(import, "--name", made.name, "NAME", "Name of the model");
  addOption(import, "--type", made.type, "f32|f16|bf16|q8_0",
            "Data type of matrices; unchanged if omitted")
      ->check(CLI::IsMember({"f32", "f16", "bf16", "q8_0"}));
}

}  // namespace spindle::app
