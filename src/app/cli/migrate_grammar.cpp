#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

constexpr const char* kMigrateHelp = R"(
Moves the data of one deployment to the stores of another: metadata between SQLite and PostgreSQL,
files between a folder and an S3 bucket, traces between data folders. Each side is a data folder, or
a settings file whose name ends in .toml, as for `spindle serve --config`. Stores that are the same
on both sides stay where they are. The source is not changed.

The source may be served meanwhile by `spindle serve --read-only`, which refuses writes with 503.
The target must be empty. The command compares everything afterwards. If it is interrupted, run it
again: it continues where it stopped. Servers refuse to start on an incomplete target.

Exit status: 0 everything is moved and equal; 1 differences, printed one per line, or an error.

Examples:
  spindle migrate --from ./spindle-data --to cluster.toml
  spindle migrate --from ./spindle-data --to cluster.toml --only files
  spindle migrate --from cluster.toml --to ./spindle-data-2)";

}  // namespace

void addMigrateCommand(CommandBuilder& builder) {
  const auto [app, migrate] =
      builder.add(nullptr, {"migrate", "Move all data to other stores, or back.", kMigrateHelp},
                  MigrateCommand(), [](const MigrateCommand& given) { return Command(given); });
  addOption(app, "--from", migrate.from, "SIDE", "Data folder or settings file (*.toml) to read")
      ->required();
  addOption(app, "--to", migrate.to, "SIDE", "Data folder or settings file (*.toml) to fill")
      ->required();
  addOption(app, "--only", migrate.only, "STORE",
            "Move only this store: metadata, files or traces. May be repeated")
      ->check(CLI::IsMember({"metadata", "files", "traces"}));
  app->add_flag("--start-over", migrate.start_over,
                "Delete what an unfinished move has copied, and begin again");
  app->add_flag("--json", migrate.json, "Print JSON");
}

}  // namespace spindle::app
