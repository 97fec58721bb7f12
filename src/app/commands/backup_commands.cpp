#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/commands/command_groups.h"
#include "app/commands/console_progress.h"
#include "app/commands/data_folder_holds.h"
#include "app/commands/find_server.h"
#include "app/commands/json_object.h"
#include "app/commands/row_check.h"
#include "app/server/version.h"
#include "app/wiring/registry_stack.h"
#include "backup/backup_folder.h"
#include "backup/data_layout.h"
#include "backup/point_check.h"
#include "backup/restore.h"
#include "backup/take_backup.h"
#include "config/reference.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;
using backup::BackupFolder, backup::CheckReport, backup::Manifest;

void say(const std::string& line) { fmt::print(stderr, "{}\n", line); }

std::string sizeText(std::uint64_t bytes) {
  return app::sizeText(static_cast<std::int64_t>(bytes));
}

/// Returns the path of the data folder. @throws std::runtime_error when it does not exist.
std::string existingDataFolder(const config::Settings& settings) {
  std::string path = settings.storage.data_dir.string();
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    throw std::runtime_error("the data folder " + path + " does not exist: set --data-dir");
  }
  return path;
}

void requireOutsideDataFolder(const std::string& backup_folder, const std::string& data_folder) {
  const fs::path inner = fs::weakly_canonical(backup_folder);
  const fs::path outer = fs::weakly_canonical(data_folder);
  const fs::path relative = inner.lexically_relative(outer);
  if (!relative.empty() && *relative.begin() != "..") {
    throw std::runtime_error("the backup folder must not be inside the data folder");
  }
}

/// Checks --without-metadata: required with PostgreSQL, refused without it.
void requireMetadataFlag(const config::Settings& settings, const TakeBackup& command) {
  const bool postgres = settings.storage.usesPostgres();
  if (postgres && !command.without_metadata) {
    throw std::runtime_error(
        "this deployment stores its metadata (users, teams, API keys, objects, runs, artifacts) in "
        "PostgreSQL, which this command does not copy.\n"
        "Run both commands, in this order:\n"
        "  pg_dump --format=custom --file=metadata.dump DATABASE\n"
        "  spindle backup FOLDER --without-metadata   (traces, files and keys)\n"
        "To restore: run pg_restore into an empty database, run `spindle restore FOLDER`, then "
        "start.");
  }
  if (!postgres && command.without_metadata) {
    throw std::runtime_error(
        "--without-metadata: the metadata is in the data folder, not on "
        "PostgreSQL");
  }
}

json::Text pointJson(const std::string& point, const Result<Manifest>& manifest) {
  if (!manifest) return {jsonObject({{"point", point}, {"error", manifest.error().message()}})};
  return {jsonObject({{"point", point},
                      {"created_at", formatTimestamp(manifest->created_at)},
                      {"version", manifest->version},
                      {"online", manifest->online},
                      {"metadata", manifest->metadata},
                      {"secrets", manifest->secrets},
                      {"bytes", manifest->bytes()},
                      {"blobs", manifest->blobs}})};
}

std::string pointLine(const std::string& point, const Result<Manifest>& manifest) {
  if (!manifest) return fmt::format("{}  {}\n", point, manifest.error().message());
  return fmt::format("{}  {}  {} files, {} blobs, {}{}\n", point,
                     formatTimestamp(manifest->created_at), manifest->files.size(), manifest->blobs,
                     sizeText(manifest->bytes()), manifest->metadata ? "" : ", without metadata");
}

void printPoints(const BackupFolder& folder, bool json) {
  std::vector<json::Text> points;
  std::string lines;
  for (const std::string& point : folder.points()) {
    const Result<Manifest> manifest = folder.load(point);
    points.push_back(pointJson(point, manifest));
    lines += pointLine(point, manifest);
  }
  if (lines.empty()) lines = "There is no backup in this folder.\n";
  if (json) lines = JsonValue(points).json().value() + "\n";
  std::fputs(lines.c_str(), stdout);
}

std::string reportJson(const CheckReport& report) {
  return jsonObject({{"clean", report.clean()},
                     {"problems", report.problems},
                     {"notes", report.notes},
                     {"facts", report.facts}}) +
         "\n";
}

void printReport(const CheckReport& report) {
  for (const std::string& line : report.facts) fmt::print("ok       {}\n", line);
  for (const std::string& line : report.notes) fmt::print("note     {}\n", line);
  for (const std::string& line : report.problems) fmt::print("PROBLEM  {}\n", line);
  if (report.clean()) {
    fmt::print("clean\n");
  } else {
    fmt::print("{} problem{}\n", report.problems.size(), report.problems.size() == 1 ? "" : "s");
  }
}

class BackupCommandRunner {
 public:
  BackupCommandRunner(const config::Loaded& loaded, const ServerFlags& server)
      : loaded_(loaded), settings_(loaded.settings), server_(server) {}

  int operator()(const TakeBackup& command) const {
    if (command.list) {
      printPoints(BackupFolder(command.folder, BackupFolder::Use::kRead), command.json);
      return 0;
    }
    requireMetadataFlag(settings_, command);
    const std::string data_folder = existingDataFolder(settings_);
    requireOutsideDataFolder(command.folder, data_folder);
    if (!command.without_metadata) backup::requireMetadata(data_folder);
    BackupFolder target(command.folder, BackupFolder::Use::kWrite);
    backup::BackupOptions options;
    options.data_folder = data_folder;
    options.blob_columns = blobColumns();
    options.metadata = !command.without_metadata;
    options.traces = !settings_.traces.usesClickHouse();
    options.blobs = !settings_.files.usesS3();
    options.secrets = !command.without_secrets;
    options.settings = config::effectiveToml(loaded_);
    options.version = std::string(version());
    options.now = SystemClock().now();
    options.say = say;
    const std::unique_ptr<backup::DataFolderHold> holder = dataHold(data_folder);
    const backup::BackupOutcome outcome = backup::takeBackup(target, options, *holder);
    BackupFolder::Pruned pruned;
    if (command.keep > 0) pruned = target.prune(static_cast<std::size_t>(command.keep));
    print(command, outcome, pruned);
    return outcome.manifest.lost_blobs.empty() ? 0 : 1;
  }

  int operator()(const RestoreBackup& command) const {
    const BackupFolder source(command.folder, BackupFolder::Use::kRead);
    const Manifest manifest = pointOf(source, command.point);
    const std::string data_dir = settings_.storage.data_dir.string();
    std::error_code problem;
    const bool exists = fs::exists(data_dir, problem);
    refuseWhileRunning(data_dir, exists);
    backup::RestoreOptions options;
    options.data_folder = data_dir;
    while (options.data_folder.size() > 1 && options.data_folder.ends_with('/')) {
      options.data_folder.pop_back();
    }
    options.replace = command.replace;
    options.check = checkOptions();
    options.now = SystemClock().now();
    const backup::RestoreOutcome outcome = backup::restorePoint(source, manifest, options);
    for (const std::string& note : outcome.report.notes) fmt::print("note: {}\n", note);
    if (!outcome.moved_to.empty())
      fmt::print("The previous content of the data folder is in {}.\n", outcome.moved_to);
    fmt::print(
        "Restored the backup point {} of {} to {}. Start the server with `spindle serve --data-dir "
        "{}`.\n",
        manifest.point, formatTimestamp(manifest.created_at), options.data_folder,
        options.data_folder);
    if (!manifest.traces_included) {
      fmt::print(
          "This backup contains no calls, spans, feedback, run history and usage: ClickHouse must "
          "have them, of the same time or later.\n");
    }
    if (!manifest.blobs_included) {
      fmt::print(
          "This backup contains no files: the S3 bucket must have those that the metadata refers "
          "to.\n");
    }
    if (!manifest.metadata) {
      fmt::print(
          "This backup contains no metadata: restore the PostgreSQL database with pg_restore "
          "before you start the server.\n");
    }
    return 0;
  }

  int operator()(const VerifyFolder& command) const {
    const std::string folder =
        command.folder.empty() ? existingDataFolder(settings_) : command.folder;
    const CheckReport report = BackupFolder::isBackupFolder(folder)
                                   ? verifyBackup(folder, command.point)
                                   : verifyData(folder);
    if (command.json) {
      std::fputs(reportJson(report).c_str(), stdout);
    } else {
      printReport(report);
    }
    return report.clean() ? 0 : 1;
  }

 private:
  std::unique_ptr<backup::DataFolderHold> dataHold(const std::string& path) const {
    const storage::DataFolder folder(path);
    const std::optional<storage::FolderHolder> holder = storage::DataFolderLock::holder(folder);
    if (!holder) return holdOfStoppedFolder(folder);
    if (holder->url.empty()) {
      throw std::runtime_error("the server is starting or stopping: try again in a moment");
    }
    return holdOfServer(findServer(settings_, server_));
  }

  static void refuseWhileRunning(const std::string& data_dir, bool exists) {
    if (!exists) return;
    const storage::DataFolder folder(data_dir);
    const std::optional<storage::FolderHolder> holder = storage::DataFolderLock::holder(folder);
    if (!holder) return;
    throw std::runtime_error(fmt::format(
        "a server (process {}) has the data folder {} open: stop it, or choose another --data-dir",
        holder->pid, data_dir));
  }

  static Manifest pointOf(const BackupFolder& folder, const std::optional<std::string>& name) {
    const std::vector<std::string> points = folder.points();
    if (!name && points.empty()) {
      throw std::runtime_error("there is no backup in " + folder.path());
    }
    Result<Manifest> manifest = folder.load(name ? *name : points.back());
    if (!manifest) throw std::runtime_error(manifest.error().message());
    return *std::move(manifest);
  }

  backup::CheckOptions checkOptions() const {
    backup::CheckOptions options;
    options.blob_columns = blobColumns();
    options.metadata = !settings_.storage.usesPostgres();
    options.blobs = !settings_.files.usesS3();
    options.memory_bytes = settings_.traces.memory;
    options.check_copy = [this](const std::string& folder, CheckReport& report) {
      checkRows(settings_, folder, report);
    };
    options.say = say;
    return options;
  }

  CheckReport verifyBackup(const std::string& path, const std::optional<std::string>& only) const {
    BackupFolder folder(path, BackupFolder::Use::kWrite);
    CheckReport report;
    std::set<Sha256> known;
    std::vector<std::string> points = folder.points();
    if (only) points = {*only};
    if (points.empty()) report.problems.emplace_back("there is no backup in this folder");
    for (const std::string& point : points) {
      const Result<Manifest> manifest = folder.load(point);
      if (!manifest) {
        report.problems.push_back(manifest.error().message());
        continue;
      }
      report.add(backup::checkPoint(folder, *manifest, checkOptions(), known));
    }
    return report;
  }

  CheckReport verifyData(const std::string& path) const {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
      throw std::runtime_error(path + " is neither a data folder nor a backup folder");
    }
    backup::CheckOptions options = checkOptions();
    const storage::DataFolder folder(path);
    if (storage::DataFolderLock::holder(folder)) {
      options.traces = false;
      return backup::checkDataFolder(path, options);
    }
    const storage::DataFolderLock lock(folder);  // no server can start during the check
    return backup::checkDataFolder(path, options);
  }

  static void print(const TakeBackup& command,
                    const backup::BackupOutcome& outcome,
                    const BackupFolder::Pruned& pruned) {
    const Manifest& manifest = outcome.manifest;
    if (command.json) {
      fmt::print("{}\n", jsonObject({{"point", manifest.point},
                                     {"bytes", manifest.bytes()},
                                     {"bytes_written", outcome.bytes_written},
                                     {"bytes_reused", outcome.bytes_reused},
                                     {"blobs", manifest.blobs},
                                     {"lost_blobs", manifest.lost_blobs.size()},
                                     {"online", manifest.online},
                                     {"pruned_points", pruned.points}}));
      return;
    }
    fmt::print("Backup {} in {}: {} in {} files and {} blobs; {} written, the rest reused.\n",
               manifest.point, command.folder, sizeText(manifest.bytes()), manifest.files.size(),
               manifest.blobs, sizeText(outcome.bytes_written));
    if (pruned.points > 0) {
      fmt::print("Deleted {} older backup point{}; freed {}.\n", pruned.points,
                 pruned.points == 1 ? "" : "s", sizeText(pruned.bytes));
    }
    if (!manifest.traces_included) {
      fmt::print(
          "This backup contains no calls, spans, feedback, run history and usage: they are in "
          "ClickHouse. Back them up there, with BACKUP DATABASE.\n");
    }
    if (!manifest.blobs_included) {
      fmt::print(
          "This backup contains no files: they are in the S3 bucket. Protect the bucket with "
          "versioning or replication.\n");
    }
    if (!manifest.metadata) {
      fmt::print(
          "This backup contains no metadata: store it with a pg_dump that was taken before it.\n");
    }
    if (manifest.find(backup::kSecretKeyFile) == nullptr) {
      fmt::print(
          "This backup contains no secret key: store the key separately. Without it, no API key "
          "works.\n");
    }
    if (!manifest.lost_blobs.empty()) {
      fmt::print(
          "{} files that the metadata refers to are missing or damaged in the data folder and "
          "missing in this backup. Everything else is in it. `spindle verify` lists the files.\n",
          manifest.lost_blobs.size());
    }
  }

  const config::Loaded& loaded_;
  const config::Settings& settings_;
  const ServerFlags& server_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const BackupCommand& command) {
  return std::visit(BackupCommandRunner(loaded, command.server), command.action);
}

}  // namespace spindle::app
