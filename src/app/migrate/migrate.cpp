#include "app/migrate/migrate.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/migrate/file_move.h"
#include "app/migrate/metadata_move.h"
#include "app/migrate/move_positions.h"
#include "app/migrate/side.h"
#include "app/migrate/source_snapshot.h"
#include "app/migrate/trace_move.h"
#include "app/traces/columnar_families.h"
#include "backup/data_layout.h"
#include "base/core/metrics.h"
#include "inference/usage/usage_journal.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;

/// Keeps a server from using a data folder. @throws std::runtime_error while one does.
class FolderGuard {
 public:
  explicit FolderGuard(const storage::DataFolder& folder) : lock_(folder) {}

 private:
  const storage::DataFolderLock lock_;
};

/// One run of the command.
class Migration {
 public:
  explicit Migration(const MigrateOptions& options)
      : options_(options),
        from_(options.from, settingsOfSide(options.from), false, metrics_, clock_),
        to_(options.to, settingsOfSide(options.to), true, metrics_, clock_) {}

  MigrateReport run() {
    const std::set<MovedStore> differing = differingStores();
    const std::set<MovedStore> moved = chosenStores(differing);
    lockFolders();
    requireSource();
    carryKey();
    openDatabases();
    if (differing.contains(MovedStore::kMetadata)) {
      is_new_ = metadata_->prepareTarget(to_.metadataPlace(), from_.metadataPlace(), clock_.now());
      to_.key().confirm(*to_database_);
    }
    MigrateReport report;
    if (moved.contains(MovedStore::kMetadata)) moveMetadata(report);
    if (moved.contains(MovedStore::kFiles)) moveFiles(report);
    if (moved.contains(MovedStore::kTraces))
      moveTraces(report, !differing.contains(MovedStore::kMetadata) || is_new_);
    finish(report, differing, moved);
    return report;
  }

 private:
  std::set<MovedStore> differingStores() const {
    std::set<MovedStore> stores;
    if (from_.metadataPlace() != to_.metadataPlace()) stores.insert(MovedStore::kMetadata);
    if (from_.filesPlace() != to_.filesPlace()) stores.insert(MovedStore::kFiles);
    if (from_.tracesPlace() != to_.tracesPlace()) stores.insert(MovedStore::kTraces);
    if (stores.empty()) {
      throw std::runtime_error(fmt::format(
          "{} and {} have the same stores: there is nothing to move", from_.name(), to_.name()));
    }
    return stores;
  }

  std::set<MovedStore> chosenStores(const std::set<MovedStore>& differing) const {
    if (options_.only.empty()) return differing;
    for (const MovedStore store : options_.only) {
      if (differing.contains(store)) continue;
      throw std::runtime_error(
          fmt::format("--only {}: both sides have the same {}", nameOf(store), nameOf(store)));
    }
    return options_.only;
  }

  /// Keeps servers from using the folders. A read-only server may use the source.
  void lockFolders() {
    const std::optional<storage::FolderHolder> holder =
        storage::DataFolderLock::holder(from_.folder());
    is_served_ = holder && holder->read_only;
    if (holder && !holder->read_only) {
      throw std::runtime_error(fmt::format(
          "the server (process {}) of {} accepts writes, which the move would miss: stop it, or "
          "restart it with --read-only",
          holder->pid, from_.name()));
    }
    if (!is_served_) guards_.push_back(std::make_unique<FolderGuard>(from_.folder()));
    if (to_.folder().path() != from_.folder().path())
      guards_.push_back(std::make_unique<FolderGuard>(to_.folder()));
  }

  void requireSource() const {
    std::error_code problem;
    if (!from_.settings().storage.usesPostgres() &&
        !fs::is_regular_file(from_.metadataPlace(), problem)) {
      throw std::runtime_error(from_.metadataPlace() + " does not exist: " + from_.name() +
                               " is no data folder of a server");
    }
    if (!is_served_ && hasUsageJournal()) {
      throw std::runtime_error("the usage journal of " + from_.name() +
                               " has records that are not stored yet: start `spindle serve "
                               "--read-only` on it, which stores them");
    }
    if (!from_.hasKey()) {
      throw std::runtime_error("the secret key of " + from_.name() +
                               " is missing: set SPINDLE_SECRET_KEY or storage.secret_key, or "
                               "restore the file secret-key in its data folder");
    }
  }

  /// Returns true if a server that was killed left usage in its journal.
  bool hasUsageJournal() const {
    const std::string folder = from_.folder().fileAt("usage-journal");
    std::error_code problem;
    if (!fs::is_directory(folder, problem)) return false;
    inference::UsageJournal::Options options;
    options.folder = folder;
    return !inference::UsageJournal(std::move(options)).recovered().empty();
  }

  /// Gives the target the secret key of the source: API keys and secrets depend on it.
  void carryKey() {
    if (!to_.hasKey()) {
      const std::optional<std::string> key = from_.folder().read(backup::kSecretKeyFile);
      if (!from_.settings().storage.secret_key.empty() || !key) {
        throw std::runtime_error(to_.name() + " has no secret key: give it the key of " +
                                 from_.name() + " with storage.secret_key");
      }
      to_.folder().create(backup::kSecretKeyFile, *key);
      if (to_.settings().storage.usesPostgres()) {
        notes_.push_back("The secret key is in " + to_.folder().fileAt(backup::kSecretKeyFile) +
                         ". Give it to every node of " + to_.name() + ".");
      }
    }
    if (from_.key().derive("migrate") != to_.key().derive("migrate")) {
      throw std::runtime_error(fmt::format(
          "{} and {} have different secret keys: no API key and no secret would work after the "
          "move. Give both the same key",
          from_.name(), to_.name()));
    }
    if (const std::optional<std::string> key = from_.folder().read(backup::kAdminKeyFile))
      to_.folder().create(backup::kAdminKeyFile, *key);
  }

  void openDatabases() {
    from_database_ = from_.openDatabase();
    to_database_ = to_.openDatabase();
    metadata_.emplace(*from_database_, *to_database_, from_.filesPlace() == to_.filesPlace(),
                      options_);
    metadata_->checkSource(from_.metadataPlace());
    if (!from_.key().isKeyOf(*from_database_)) {
      throw std::runtime_error("the data of " + from_.name() +
                               " was written with another secret key");
    }
  }

  void moveMetadata(MigrateReport& report) {
    options_.say("copying metadata");
    metadata_->copy();
    options_.say("comparing metadata");
    add(report, metadata_->verify(), MovedStore::kMetadata, from_.metadataPlace(),
        to_.metadataPlace());
  }

  void moveFiles(MigrateReport& report) {
    const std::unique_ptr<storage::BlobStore> from = from_.openBlobs(*from_database_);
    const std::unique_ptr<storage::BlobStore> to = to_.openBlobs(*to_database_);
    FileMove files(*from, *to, options_);
    options_.say("copying files");
    files.copy();
    options_.say("checking files");
    add(report, files.verify(), MovedStore::kFiles, from_.filesPlace(), to_.filesPlace());
  }

  void moveTraces(MigrateReport& report, bool is_new) {
    std::optional<storage::DataFolder> copy;
    if (is_served_ && !from_.settings().traces.usesClickHouse()) {
      options_.say("copying the trace store of the running server");
      copy.emplace(from_.workFolder());
      const std::unique_ptr<backup::DataFolderHold> holder = options_.hold(from_.settings());
      copyTraces(from_.folder().path(), copy->fileAt(backup::kTracesFolder), *holder);
    }
    const std::unique_ptr<TraceRows> from = from_.openTraces(copy ? *copy : from_.folder());
    const std::unique_ptr<TraceRows> to = to_.openTraces(to_.folder());
    const std::vector<columnar::Family> families = columnarFamilies();
    const storage::DataFolder work(to_.workFolder());
    MovePositions positions(work, from_.tracesPlace() + " -> " + to_.tracesPlace());
    TraceMove traces(*from, *to, families, positions, options_);
    traces.prepareTarget(is_new);
    options_.say("copying traces");
    traces.copy();
    options_.say("comparing traces");
    add(report, traces.verify(clock_.now()), MovedStore::kTraces, from_.tracesPlace(),
        to_.tracesPlace());
  }

  static void add(MigrateReport& report,
                  StoreReport store,
                  MovedStore which,
                  std::string from,
                  std::string to) {
    store.store = which;
    store.from = std::move(from);
    store.to = std::move(to);
    report.stores.push_back(std::move(store));
  }

  void finish(MigrateReport& report,
              const std::set<MovedStore>& differing,
              const std::set<MovedStore>& moved) {
    report.notes = std::move(notes_);
    std::error_code ignored;
    fs::remove_all(from_.workFolder() + "/traces", ignored);
    fs::remove_all(from_.workFolder() + "/blob-cache", ignored);
    fs::remove_all(to_.workFolder() + "/blob-cache", ignored);
    if (!report.clean()) return;
    if (moved != differing) {
      report.notes.push_back("Run the command again without --only to complete the move.");
      return;
    }
    if (differing.contains(MovedStore::kTraces)) endTraceMove(report);
    if (differing.contains(MovedStore::kMetadata)) metadata_->finish(clock_.now());
    for (const Side* side : {&from_, &to_}) fs::remove_all(side->workFolder(), ignored);
    report.finished = true;
  }

  void endTraceMove(MigrateReport& report) const {
    if (!to_.settings().traces.usesClickHouse()) return;
    if (const Result<void> ended = to_.openTraces(to_.folder())->endMove(); !ended)
      throw std::runtime_error("cannot complete the move: " + ended.error().message());
    if (from_.folder().path() == to_.folder().path()) {
      report.notes.push_back("Move the folder " + from_.tracesPlace() +
                             " away: a server with ClickHouse does not start beside it.");
    }
  }

  const MigrateOptions& options_;
  const SystemClock clock_;
  MetricRegistry metrics_;
  const Side from_;
  const Side to_;
  std::vector<std::unique_ptr<FolderGuard>> guards_;
  std::unique_ptr<storage::Database> from_database_;
  std::unique_ptr<storage::Database> to_database_;
  std::optional<MetadataMove> metadata_;
  std::vector<std::string> notes_;
  bool is_served_ = false;  ///< a read-only server uses the data folder of the source
  bool is_new_ = true;      ///< no earlier run has prepared the target
};

}  // namespace

const char* nameOf(MovedStore store) {
  switch (store) {
    case MovedStore::kMetadata:
      return "metadata";
    case MovedStore::kFiles:
      return "files";
    case MovedStore::kTraces:
      return "traces";
  }
  return "";
}

bool MigrateReport::clean() const {
  return std::all_of(stores.begin(), stores.end(),
                     [](const StoreReport& store) { return store.differences.empty(); });
}

MigrateReport migrateData(const MigrateOptions& options) { return Migration(options).run(); }

}  // namespace spindle::app
