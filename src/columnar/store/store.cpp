#include "columnar/store/store.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/core/mutex.h"
#include "base/core/no_blocking.h"
#include "columnar/store/core.h"
#include "columnar/store/file_name.h"
#include "columnar/store/log.h"
#include "columnar/store/snapshot_state.h"
#include "columnar/store/store_hold.h"

namespace spindle::columnar {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kBetweenAttempts{1};
constexpr std::chrono::seconds kShortestPause{2};
constexpr std::chrono::seconds kLongestPause{60};
constexpr std::chrono::minutes kLongLife{10};

/// Refuses a store without its file but with other files of a store. An empty file in its place
/// would hide the loss.
void refuseMissingFile(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / kStoreFileName;
  if (std::filesystem::exists(file)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != "traces.record" && name != "traces.duckdb.wal" && name.rfind("journal-", 0) != 0) {
      continue;
    }
    throw std::runtime_error(file.string() + " is missing, but " + name +
                             " in the same folder shows that it existed. Restore the folder from a "
                             "backup (spindle restore), "
                             "or move the whole folder away to start with an empty trace store.");
  }
}

void prepareFolder(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw std::runtime_error("cannot create " + folder + ": " + problem.message());
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, problem);
  refuseMissingFile(folder);
  // Spilled data belongs to queries of the last process.
  std::filesystem::remove_all(folder + "/spill", problem);
}

}  // namespace

class Store::State {
 public:
  State(const StoreOptions& options, std::vector<Family> families, MetricRegistry& metrics)
      : options_(options), families_(std::move(families)), metrics_(metrics) {
    prepareFolder(options_.folder);
    core_ = std::make_shared<Core>(options_, families_, metrics_, std::chrono::seconds(0));
    opened_ = steady_clock::now();
  }

  ~State() {
    const MutexLock lock(mutex_);
    if (core_ != nullptr) core_->stop();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Returns the open store; replaces a failed one first.
  Result<std::shared_ptr<Core>> core() {
    const MutexLock lock(mutex_);
    if (core_ != nullptr && !core_->parts().failed()) return core_;
    if (steady_clock::now() < next_attempt_) return unavailable();
    next_attempt_ = steady_clock::now() + kBetweenAttempts;
    return reopen();
  }

 private:
  static Error unavailable() {
    return Error::unavailable("The trace store is being reopened; try again.");
  }

  Result<std::shared_ptr<Core>> reopen() SPINDLE_REQUIRES(mutex_) {
    kLog.warning("reopening");
    // Snapshots may keep the old core alive; it does no more work.
    if (core_ != nullptr) core_->stop();
    core_.reset();
    // The cause of the failure may recur; meanwhile the store can be read and written.
    const bool soon = steady_clock::now() - opened_ < kLongLife;
    pause_ = soon ? std::clamp(2 * pause_, kShortestPause, kLongestPause) : kShortestPause;
    try {
      core_ = std::make_shared<Core>(options_, families_, metrics_, pause_);
    } catch (const std::exception& problem) {
      kLog.error("reopen_failed", {{"message", problem.what()}});
      return unavailable();
    }
    opened_ = steady_clock::now();
    metrics_.reopened.add();
    return core_;
  }

  const StoreOptions options_;
  const std::vector<Family> families_;
  StoreMetrics metrics_;

  Mutex mutex_;
  std::shared_ptr<Core> core_ SPINDLE_GUARDED_BY(mutex_);  // shared with snapshots
  steady_clock::time_point next_attempt_ SPINDLE_GUARDED_BY(mutex_);
  steady_clock::time_point opened_ SPINDLE_GUARDED_BY(mutex_);
  std::chrono::seconds pause_ SPINDLE_GUARDED_BY(mutex_){0};
};

std::unique_ptr<Store> Store::open(const StoreOptions& options,
                                   std::vector<Family> families,
                                   MetricRegistry& metrics) {
  return std::unique_ptr<Store>(
      new Store(std::make_unique<State>(options, std::move(families), metrics)));
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;

Result<void> Store::write(Change& change, std::size_t bytes) {
  if (NoBlocking::forbids()) return Error::unavailable("The store may not be waited for here.");
  std::shared_ptr<Core> core = TRY(state_->core());
  return core->writer().write(change, bytes);
}

Result<Snapshot> Store::snapshot() {
  if (NoBlocking::forbids()) return Error::unavailable("The store may not be waited for here.");
  std::shared_ptr<Core> core = TRY(state_->core());
  std::unique_ptr<Snapshot::State> begun = TRY(Snapshot::State::begin(std::move(core)));
  return Snapshot(std::move(begun));
}

Result<std::int64_t> Store::removeBefore(FamilyId family,
                                         std::string_view partition,
                                         SqlName column,
                                         Timestamp moment) {
  std::shared_ptr<Core> core = TRY(state_->core());
  std::int64_t recent = TRY(core->writer().removeBefore(family, partition, column, moment));
  std::int64_t stored = TRY(core->flusher().removeBefore(family, partition, column, moment));
  return recent + stored;
}

Result<std::vector<std::string>> Store::partitions() {
  std::shared_ptr<Core> core = TRY(state_->core());
  return core->parts().partitions.names();
}

Result<void> Store::dropPartition(std::string_view partition) {
  std::shared_ptr<Core> core = TRY(state_->core());
  return core->writer().retirePartition(partition);
}

Result<std::unique_ptr<StoreHold>> Store::hold() {
  std::shared_ptr<Core> core = TRY(state_->core());
  return StoreHold::begin(std::move(core));
}

Result<void> Store::flush() {
  std::shared_ptr<Core> core = TRY(state_->core());
  return core->flusher().flush();
}

}  // namespace spindle::columnar
