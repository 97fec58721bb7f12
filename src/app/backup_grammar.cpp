#include "app/backup_grammar.h"

#include <utility>

#include <CLI/CLI.hpp>

namespace spindle::app {
namespace {

constexpr const char* kBackupHelp = R"(
Copies everything that the data folder holds: metadata, traces, files, secret key. The server may
run meanwhile: the copy is of one moment, and has all that was acknowledged before the command
began. The first backup into a folder copies everything, later ones only what has changed. The
folder contains the secret key and the administrator's key: keep it as safe as the data folder.

Examples:
  spindle backup /backups/spindle
  spindle backup /backups/spindle --keep 14
  spindle backup /backups/spindle --list)";

constexpr const char* kRestoreHelp = R"(
Checks the backup, makes a data folder of it, checks that, and puts it in its place in one step. No
server may be running on the data folder. A data folder that is not empty is refused, or moved
beside with --replace.

Examples:
  spindle restore /backups/spindle --data-dir /var/lib/spindle
  spindle restore /backups/spindle --replace
  spindle restore /backups/spindle --point 000007-20261231T120000Z --data-dir /tmp/look)";

constexpr const char* kVerifyHelp = R"(
Of a backup folder: every manifest, the SHA-256 of everything, and that a sound data folder can be
made of each point. Of a data folder: the database, every row of the traces, the digest of every
file, and that every file is there that the database refers to. Nothing is changed.
Exit status 0: clean. 1: problems, one line each.

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

void BackupGrammar::addTo(const Words<BackupCommand>& words) {
  const auto leaf = [&](const char* name, const char* text, auto& action, const char* help) {
    CLI::App* app = words.leaf(nullptr, name, text, [this, &action] {
      return BackupCommand{action, {std::nullopt, Secret(actions_->key)}};
    });
    app->footer(help);
    return app;
  };
  TakeBackup& take = actions_->take;
  CLI::App* backup =
      leaf("backup", "Back up the data folder, also while the server runs.", take, kBackupHelp);
  backup->add_option("FOLDER", take.folder, "Backup folder; made when it is missing")
      ->required()
      ->type_name("");
  backup->add_option("--keep", take.keep, "Afterwards remove all points but the newest N")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  backup->add_flag("--without-secrets", take.without_secrets,
                   "Leave out secret-key and admin-api-key");
  backup->add_flag("--without-metadata", take.without_metadata,
                   "The metadata is on PostgreSQL: dump it with pg_dump first");
  backup
      ->add_option("--key", actions_->key,
                   "API key of an administrator, or @FILE; that of the data folder when left out")
      ->type_name("KEY");
  backup->add_flag("--list", take.list, "Only list the points in the folder");
  backup->add_flag("--json", take.json, "Print JSON");

  RestoreBackup& restore = actions_->restore;
  CLI::App* back = leaf("restore", "Make a data folder from a backup.", restore, kRestoreHelp);
  back->add_option("FOLDER", restore.folder, "Backup folder")->required()->type_name("");
  back->add_option("--point", restore.point, "Point to restore; the newest when left out")
      ->type_name("POINT");
  back->add_flag("--replace", restore.replace, "Move the content of the data folder beside it");

  VerifyFolder& verify = actions_->verify;
  CLI::App* check = leaf("verify", "Check a data folder or a backup folder.", verify, kVerifyHelp);
  check->add_option("FOLDER", verify.folder, "The data folder of the settings when left out")
      ->type_name("");
  check->add_option("--point", verify.point, "Only this point of a backup folder")
      ->type_name("POINT");
  check->add_flag("--json", verify.json, "Print JSON");
}

}  // namespace spindle::app
