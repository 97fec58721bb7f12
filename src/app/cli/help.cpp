#include "app/cli/help.h"

#include <fmt/format.h>

#include "app/server/version.h"
#include "config/reference.h"

namespace spindle::app {

std::string overviewHelp() {
  return fmt::format(
      R"(spindle {}: trace, evaluate, train and serve LLM applications with one server.

First steps:
  spindle serve                         start the server on http://127.0.0.1:8080; the first start
                                        prints the administrator's API key
  spindle doctor                        check this machine and print a fix for each problem

Commands:
  serve                                 start the server
  config show | check | docs            print settings with their sources; check; print reference
  user create | list                    manage users
  team create | list | delete           manage teams
  team add-member | remove-member | members
                                        manage the members of a team
  key create | list | revoke            manage API keys
  prices import | ls                    import and list the default token prices
  traces export | import                export the calls of a project to files; import them
  artifact put | get | ls               upload, download and list artifact versions
  artifact alias | link                 set an alias of a version; link a version to a registry
  secret set                            store the tokens and signing keys of webhooks
  webhook ls | create | test            manage the endpoints that automations call
  automation ls | create | enable | disable | rm | render
                                        run a webhook when an event matches
  deliveries ls | show | replay         list and show webhook deliveries; send one again
  model add | ls | show | rm            manage the models that clients request by name
  model import                          convert a Hugging Face folder to a GGUF file
  engine ls | unload                    inspect or stop local inference engines
  engine quarantine | release           list and release adapters that crashed an engine
  upstream add | ls | show | rm | test  manage model servers: vLLM, hosted APIs
  limit set | ls | rm                   limit requests, tokens and cost per project or API key
  usage                                 show requests, tokens and cost
  trajectories export                   create training data from traces with feedback or scores
  train ls | show | cancel              list, show and cancel training jobs
  backup                                back up the data folder, also while the server runs
  restore                               create a data folder from a backup
  verify                                check a data folder or a backup folder
  doctor                                check folders, ports, clocks and libraries
  version                               print the version
  help                                  print this text

Examples:
  spindle serve --listen 0.0.0.0:8080 --data-dir /var/lib/spindle
  spindle config check --config spindle.toml
  spindle user create ada --email ada@example.com --name "Ada Lovelace"
  spindle team create research --admin ada
  spindle key create --user ada --name laptop --expires 90d
  spindle traces export --project research/chat --output traces --format parquet
  spindle artifact put research/chat/answers results/ --alias best
  spindle backup /backups/spindle --keep 14
  curl -u api:$KEY http://127.0.0.1:8080/api/v1/teams

Every setting is a flag, an environment variable (SPINDLE_...) and a key of the settings file
(--config FILE). A flag overrides the environment, which overrides the file. `spindle serve --help`
lists the flags; `spindle COMMAND --help` explains a command.
Exit status: 0 success, 1 failure, 2 invalid command line.
)",
      version());
}

std::string serveHelp() {
  return fmt::format(R"(
Stop the server with Ctrl-C or SIGTERM. The server completes running requests first.

Examples:
  spindle serve
  spindle serve --listen 0.0.0.0:8443 --tls-certificate cert.pem --tls-key key.pem
  SPINDLE_ADMIN_API_KEY=$(openssl rand -hex 24) spindle serve --data-dir /var/lib/spindle

Settings file:
  --config FILE                   settings file (TOML) [environment: SPINDLE_CONFIG]

{}Secrets have no flags: set SPINDLE_ADMIN_API_KEY and SPINDLE_SECRET_KEY in the environment, or
their keys in the settings file. `spindle config docs` lists all names.
)",
                     config::flagHelp());
}

std::string modelImportHelp() {
  return R"(
Supports the Llama, Qwen2 and Qwen3 families with a byte-level BPE vocabulary. Memory use does not
depend on the size of the model. The GGUF file appears when it is complete.

Examples:
  spindle model import ./Qwen3-0.6B qwen3.gguf
  spindle model import ./Qwen3-0.6B small.gguf --type q8_0
  spindle model add small --file $PWD/small.gguf)";
}

std::string modelAddHelp() {
  return R"(
A model has targets: a GGUF file, which a local engine serves, or upstreams, or both. The targets of
the lowest tier share the requests. When all of them fail, the gateway tries the next tier, then the
fallbacks in order. Clients can request the model immediately.

Examples:
  spindle model add small --file ./small.gguf --start-at-boot
  spindle model add qwen3 --upstream vllm-1=Qwen/Qwen3-14B --upstream vllm-2=Qwen/Qwen3-14B
  spindle model add chat --upstream vllm-1 --upstream hosted=gpt-4o-mini --tier 0 --tier 1
  spindle model add answers --upstream hosted=gpt-4o --fallback small --team research)";
}

std::string upstreamAddHelp() {
  return R"(
The server stores the upstream's API key encrypted and never shows it again. Pass the key on
standard input or in an environment variable: other users can see command lines.

Examples:
  spindle upstream add vllm-1 http://10.0.0.5:8000/v1
  spindle upstream add hosted https://api.example.com/v1 --key-env PROVIDER_KEY
  spindle upstream add hosted https://api.example.com/v1 --key-stdin < key.txt)";
}

std::string limitSetHelp() {
  return R"(
Limits without a flag stay unchanged; `none` removes a limit. A request reserves its maximum cost
before it is sent, so a budget is never exceeded.

Examples:
  spindle limit set research/chat --requests 600 --tokens 200000
  spindle limit set research/chat --budget 50 --period month
  spindle limit set spk_Ab12Cd34Ef56 --concurrency 4
  spindle limit set research/chat --budget none)";
}

std::string usageHelp() {
  return R"(
Costs use the current prices (`spindle prices ls`). Latencies include only successful requests.

Examples:
  spindle usage
  spindle usage --by project,model --from 2026-11-01
  spindle usage --by user --project research/chat
  spindle usage --by total --json)";
}

std::string artifactHelp(std::string_view command) {
  if (command == "put") {
    return R"(
Files that the server already has are not sent. After an interruption, run the same command again
to send the rest. Identical content creates no second version.

Examples:
  spindle artifact put research/chat/answers answers.jsonl --alias best
  spindle artifact put research/chat/net checkpoints/ --type model --tag nightly)";
  }
  if (command == "get") {
    return R"(
Every file is verified against its MD5 digest. Files that are already complete in the folder are not
downloaded. After an interruption, run the same command again to download the rest.

Examples:
  spindle artifact get research/chat/net:best --output net/
  spindle artifact get svc-registry-models/net:prod --output net/)";
  }
  if (command == "ls") {
    return R"(
Examples:
  spindle artifact ls research/chat
  spindle artifact ls research/chat/net
  spindle artifact ls svc-registry-models/net --json)";
  }
  if (command == "alias") {
    return R"(
An alias names one version: setting it removes it from the version that had it before.

Examples:
  spindle artifact alias research/chat/net:v3 best
  spindle artifact alias svc-registry-models/net:v0 prod
  spindle artifact alias research/chat/net:v3 best --remove)";
  }
  return R"(
The collection in the registry is created if it does not exist. To create a registry, use
POST /api/v1/registries.

Examples:
  spindle artifact link research/chat/net:best svc-registry-models/net --alias staging)";
}

std::string settingsHint() {
  return "\nSettings flags such as --config FILE and --data-dir FOLDER also apply here;\n"
         "`spindle serve --help` lists them.\n";
}

}  // namespace spindle::app
