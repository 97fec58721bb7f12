#include "app/cli/backup_grammar.h"

#include <utility>

#include <CLI/CLI.hpp>

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

}  // namespace

struct BackupGrammar::Actions {
  TakeBackup take;
  RestoreBackup restore;
  VerifyFolder verify;
  std::string key;
};

BackupGrammar::BackupGrammar() : actions_(std::make_unique<Actions>()) {}
BackupGrammar::~BackupGrammar() = default;

void BackupGrammar::addTo(const CommandBuilder<BackupCommand>& builder) {
  const auto leaf = [&](const char* name, const char* text, auto& action, const char* help) {
    CLI::App* app = builder.leaf(nullptr, name, text, [this, &action] {
      return BackupCommand{action, {std::nullopt, Secret(actions_->key)}};
    });
    app->footer(help);
    return app;
  };
  TakeBackup& take = actions_->take;
  CLI::App* backup =
      leaf("backup", "Back up the data folder, also while the server runs.", take, kBackupHelp);
  backup->add_option("FOLDER", take.folder, "Backup folder; created if it does not exist")
      ->required()
      ->type_name("");
  backup->add_option("--keep", take.keep, "Then delete all backup points but the newest N")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  backup->add_flag("--without-secrets", take.without_secrets,
                   "Exclude the files secret-key and admin-api-key");
  backup->add_flag("--without-metadata", take.without_metadata,
                   "Exclude the metadata: it is in PostgreSQL; run pg_dump first");
  backup
      ->add_option("--key", actions_->key,
                   "API key of an organization admin, or @FILE; the data folder's key if omitted")
      ->type_name("KEY");
  backup->add_flag("--list", take.list, "Only list the backup points in the folder");
  backup->add_flag("--json", take.json, "Print JSON");

  RestoreBackup& restore = actions_->restore;
  CLI::App* back = leaf("restore", "Create a data folder from a backup.", restore, kRestoreHelp);
  back->add_option("FOLDER", restore.folder, "Backup folder")->required()->type_name("");
  back->add_option("--point", restore.point, "Backup point to restore; the newest if omitted")
      ->type_name("POINT");
  back->add_flag("--replace", restore.replace,
                 "Move the existing content of the data folder aside");

  VerifyFolder& verify = actions_->verify;
  CLI::App* check = leaf("verify", "Check a data folder or a backup folder.", verify, kVerifyHelp);
  check->add_option("FOLDER", verify.folder, "Folder to check; the data folder if omitted")
      ->type_name("");
  check->add_option("--point", verify.point, "Only this backup point")->type_name("POINT");
  check->add_flag("--json", verify.json, "Print JSON");
}

}  // namespace spindle::app
