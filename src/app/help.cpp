#include "app/help.h"

#include <fmt/format.h>

#include "app/version.h"
#include "config/reference.h"

namespace spindle::app {

std::string overviewHelp() {
  return fmt::format(
      R"(spindle {}: trace, evaluate, train and serve LLM applications, from one server.

To begin:
  spindle serve                         start the server on http://127.0.0.1:8080; the first start
                                        prints the administrator's API key
  spindle doctor                        check this machine and say what to do about each problem

Commands:
  serve                                 start the server
  config show | check | docs            effective settings and their sources; check; reference
  user create | list                    manage users
  team create | list | delete           manage teams
  team add-member | remove-member | members
  key create | list | revoke            manage API keys
  prices import | ls                    prices of tokens that count in every project
  traces export | import                calls of a project into files and back
  artifact put | get | ls               files in versions: put them in, fetch them, list them
  artifact alias | link                 give a version a name; offer it in a registry
  secret set                            tokens and keys that webhooks use
  webhook ls | create | test            endpoints that automations call
  automation ls | create | enable | disable | rm | render
                                        what happens when something happens
  deliveries ls | show | replay         what was sent; send it again
  model add | ls | show | rm            models that can be asked by name
  model import                          a Hugging Face folder becomes a GGUF file
  engine ls | unload                    models in memory
  engine quarantine | release           adapters that ended an engine
  upstream add | ls | show | rm | test  servers that answer for models: vLLM, hosted ones
  limit set | ls | rm                   what a project or a key may use
  usage                                 what was used, and what it cost
  trajectories export                   traces with feedback or scores become training data
  train ls | show | cancel              training jobs
  backup                                copy the data folder, also while the server runs
  restore                               make a data folder from a backup
  verify                                check a data folder or a backup folder
  doctor                                check folders, ports, clocks and libraries
  version                               print the version
  help                                  show this text

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

Every setting is a flag, an environment variable (SPINDLE_...) and a key of the file named with
--config; the first of them that is given counts. `spindle serve --help` lists the flags,
`spindle COMMAND --help` explains a command. Exit status: 0 done, 1 failed, 2 not understood.
)",
      version());
}

std::string serveHelp() {
  return fmt::format(R"(
Stop the server with Ctrl-C or SIGTERM: requests under way are finished first.

Examples:
  spindle serve
  spindle serve --listen 0.0.0.0:8443 --tls-certificate cert.pem --tls-key key.pem
  SPINDLE_ADMIN_API_KEY=$(openssl rand -hex 24) spindle serve --data-dir /var/lib/spindle

Settings file:
  --config FILE                   TOML file with settings [environment: SPINDLE_CONFIG]

{}Secrets have no flags: SPINDLE_ADMIN_API_KEY and SPINDLE_SECRET_KEY come from the environment or
the file. All names: `spindle config docs`.
)",
                     config::flagHelp());
}

std::string modelImportHelp() {
  return R"(
Folders of the Llama, Qwen2 and Qwen3 families with a byte-level BPE vocabulary. Memory stays flat
whatever the size, and the file appears when it is whole.

Examples:
  spindle model import ./Qwen3-0.6B qwen3.gguf
  spindle model import ./Qwen3-0.6B small.gguf --type q8_0
  spindle model add small --file $PWD/small.gguf)";
}

std::string modelAddHelp() {
  return R"(
A model has a file, which an engine on the server's machine answers for, or upstreams, or both.
Targets of the lowest tier share the requests; the next tier is asked when all of it fail, then
the fallbacks in turn. The model is served at once.

Examples:
  spindle model add small --file ./small.gguf --start-at-boot
  spindle model add qwen3 --upstream vllm-1=Qwen/Qwen3-14B --upstream vllm-2=Qwen/Qwen3-14B
  spindle model add chat --upstream vllm-1 --upstream hosted=gpt-4o-mini --tier 0 --tier 1
  spindle model add answers --upstream hosted=gpt-4o --fallback small --team research)";
}

std::string upstreamAddHelp() {
  return R"(
The key is kept encrypted and never shown again. It comes from the standard input or from a
variable, because command lines are seen by others.

Examples:
  spindle upstream add vllm-1 http://10.0.0.5:8000/v1
  spindle upstream add hosted https://api.example.com/v1 --key-env PROVIDER_KEY
  spindle upstream add hosted https://api.example.com/v1 --key-stdin < key.txt)";
}

std::string limitSetHelp() {
  return R"(
What is not given stays as it is; `none` takes a part of a limit away. A request reserves what it
may cost at most before it is sent: a budget is never overspent.

Examples:
  spindle limit set research/chat --requests 600 --tokens 200000
  spindle limit set research/chat --budget 50 --period month
  spindle limit set spk_Ab12Cd34Ef56 --concurrency 4
  spindle limit set research/chat --budget none)";
}

std::string usageHelp() {
  return R"(
Costs are at the prices of today (`spindle prices ls`); times are of answers that succeeded.

Examples:
  spindle usage
  spindle usage --by project,model --from 2026-11-01
  spindle usage --by user --project research/chat
  spindle usage --by total --json)";
}

std::string artifactHelp(std::string_view command) {
  if (command == "put") {
    return R"(
Files that the server has already are not sent; after an interruption the same command sends the
rest. The same content becomes no second version.

Examples:
  spindle artifact put research/chat/answers answers.jsonl --alias best
  spindle artifact put research/chat/net checkpoints/ --type model --tag nightly)";
  }
  if (command == "get") {
    return R"(
Every file is checked against its MD5. What is in the folder with the right bytes is not fetched;
after an interruption the same command goes on where it stopped.

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
A version that had the alias loses it.

Examples:
  spindle artifact alias research/chat/net:v3 best
  spindle artifact alias svc-registry-models/net:v0 prod
  spindle artifact alias research/chat/net:v3 best --remove)";
  }
  return R"(
The registry's collection is made when it is not there. Registries are made with
POST /api/v1/registries.

Examples:
  spindle artifact link research/chat/net:best svc-registry-models/net --alias staging)";
}

std::string settingsHint() {
  return "\nSettings flags such as --config FILE and --data-dir FOLDER work here too;\n"
         "`spindle serve --help` lists them.\n";
}

}  // namespace spindle::app
