#include <utility>

#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

constexpr const char* kBackupHelp = R"(
Adds a backup point: a consistent copy of the metadata, traces, files and secret key of the data
folder. The server may run during the backup. The copy contains all writes that were acknowledged
before the command started. The first backup into a folder copies everything, later backups only
changes. The folder contains the secret key and the administrator's API key: protect it like the
data folder.

Examples:
  spindle backup /backups/spindle
  spindle backup /backups/spindle --keep 14
  spindle backup /backups/spindle --list)";

constexpr const char* kRestoreHelp = R"(
Verifies the backup, creates a data folder from it, verifies that folder and moves it into place in
one step. Stop the server that uses the data folder first. The command refuses a data folder that is
not empty; --replace moves its content aside.

Examples:
  spindle restore /backups/spindle --data-dir /var/lib/spindle
  spindle restore /backups/spindle --replace
  spindle restore /backups/spindle --point 000007-20261231T120000Z --data-dir /tmp/look)";

constexpr const char* kVerifyHelp = R"(
In a backup folder, checks every manifest, every SHA-256 digest, and that each backup point can be
restored. In a data folder, checks the database, every trace row, the digest of every file, and that
every file that the database refers to exists. Changes nothing.
Exit status: 0 no problems, 1 problems, printed one per line.

Examples:
  spindle verify
  spindle verify /backups/spindle
  spindle verify /backups/spindle --point 000007-20261231T120000Z)";

/// The options of `spindle backup`. Only this command has a key, and no URL.
struct BackupOptions {
  TakeBackup backup;
  std::string key;
};

void addBackup(CommandBuilder& builder) {
  const auto [app, options] = builder.add(
      nullptr, {"backup", "Back up the data folder, also while the server runs.", kBackupHelp},
      BackupOptions(), [](const BackupOptions& given) {
        return Command(BackupCommand{given.backup, {std::nullopt, Secret(given.key)}});
      });
  TakeBackup& take = options.backup;
  addPositional(app, "FOLDER", take.folder, "Backup folder; created if it does not exist");
  addOption(app, "--keep", take.keep, "N", "Then delete all backup points but the newest N")
      ->check(CLI::Range(1, 100'000));
  app->add_flag("--without-secrets", take.without_secrets,
                "Exclude the files secret-key and admin-api-key");
  app->add_flag("--without-metadata", take.without_metadata,
                "Exclude the metadata: it is in PostgreSQL; run pg_dump first");
  addOption(app, "--key", options.key, "KEY",
            "API key of an organization admin, or @FILE; the data folder's key if omitted");
  app->add_flag("--list", take.list, "Only list the backup points in the folder");
  app->add_flag("--json", take.json, "Print JSON");
}

void addRestore(CommandBuilder& builder) {
  const auto [app, restore] =
      builder.add(nullptr, {"restore", "Create a data folder from a backup.", kRestoreHelp},
                  RestoreBackup(), builder.commandFrom<BackupCommand>());
  addPositional(app, "FOLDER", restore.folder, "Backup folder");
  addOption(app, "--point", restore.point, "POINT",
            "Backup point to restore; the newest if omitted");
  app->add_flag("--replace", restore.replace, "Move the existing content of the data folder aside");
}

void addVerify(CommandBuilder& builder) {
  const auto [app, verify] =
      builder.add(nullptr, {"verify", "Check a data folder or a backup folder.", kVerifyHelp},
                  VerifyFolder(), builder.commandFrom<BackupCommand>());
  addOption(app, "FOLDER", verify.folder, "", "Folder to check; the data folder if omitted");
  addOption(app, "--point", verify.point, "POINT", "Only this backup point");
  app->add_flag("--json", verify.json, "Print JSON");
}

}  // namespace

void addBackupCommands(CommandBuilder& builder) {
  addBackup(builder);
  addRestore(builder);
  addVerify(builder);
}

}  // namespace spindle::app
