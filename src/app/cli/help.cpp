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
                                        prints a link to the console and the administrator's API key
  spindle doctor                        check this machine and print a fix for each problem

Commands:
  serve                                 start the server
  config show | check | docs            print settings with their sources; check; print reference
  user create | list                    manage users
  team create | list | delete           manage teams
  team add-member | remove-member | members
                                        manage the members of a team
  key create | list | revoke            manage API keys
  login-link                            print a link that signs in to the console once
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
  node ls                               list the processes that share a PostgreSQL database
  trajectories export                   create training data from traces with feedback or scores
  train ls | show | cancel              list, show and cancel training jobs
  backup                                back up the data folder, also while the server runs
  restore                               create a data folder from a backup
  verify                                check a data folder or a backup folder
  migrate                               move all data to other stores, such as PostgreSQL and S3
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

std::string settingsHint() {
  return "\nSettings flags such as --config FILE and --data-dir FOLDER also apply here;\n"
         "`spindle serve --help` lists them.\n";
}

}  // namespace spindle::app
