#include "app/traces/clickhouse_traces.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/traces/clickhouse_options.h"
#include "app/traces/clickhouse_tables.h"
#include "app/traces/log.h"
#include "backup/data_layout.h"
#include "clickhouse/schema/migrator.h"
#include "clickhouse/schema/move_mark.h"
#include "clickhouse/schema/project_rows.h"
#include "feedback/clickhouse/feedback_table.h"

namespace spindle::app {
namespace {

/// Rare, because the search reads a column of all rows.
constexpr std::chrono::hours kProjectSearchInterval{1};
constexpr std::chrono::minutes kRepeatedProjectSearchInterval{1};

/// Options of a client that checks whether ClickHouse works.
clickhouse::ClientOptions probeOptions(const config::TraceSettings& traces) {
  clickhouse::ClientOptions options = clickHouseOptions(traces);
  options.change_time = std::chrono::seconds(2);
  options.grace = std::chrono::seconds(1);
  options.connections = 2;
  return options;
}

/// @throws std::runtime_error if the data folder has a columnar store.
void refuseEmbeddedStore(const storage::DataFolder& folder) {
  const std::vector<std::string> data = backup::dataBesideMetadata(folder.path());
  if (std::find(data.begin(), data.end(), backup::kTracesFolder) == data.end()) return;
  throw std::runtime_error(
      "traces.store is clickhouse, but " + folder.fileAt(backup::kTracesFolder) +
      " contains calls that the server could not find in ClickHouse. Set traces.store = "
      "\"embedded\", or move that folder away if ClickHouse has them all");
}

/// Refuses a database that `spindle migrate` has not completed.
Result<void> requireNoMove(clickhouse::Client& client) {
  const std::optional<std::string> move = TRY(clickhouse::unfinishedMove(client));
  if (!move) return {};
  return Error(
      ErrorCode::kPreconditionFailed,
      "The move " + *move + " has not finished. Run the same `spindle migrate` command again");
}

/// Writes that wait for ClickHouse hold locks. They have connections of their own, so that changes
/// of metadata never wait for them.
constexpr std::size_t kLockConnections = 16;

std::unique_ptr<storage::Database> openLockDatabase(const config::StorageSettings& storage,
                                                    MetricRegistry& metrics) {
  if (!storage.usesPostgres()) return nullptr;
  storage::DatabaseOptions options;
  options.engine = storage::Engine::kPostgres;
  options.connection = storage.metadata;
  options.readers = 1;
  options.writers = kLockConnections;
  return storage::Database::open(options, metrics);
}

std::unique_ptr<tracing::CallLocks> locksIn(storage::Database* database) {
  if (database != nullptr) return std::make_unique<tracing::PostgresCallLocks>(*database);
  return std::make_unique<tracing::ProcessCallLocks>();
}

}  // namespace

ClickHouseTraces::ClickHouseTraces(TraceStorePorts ports)
    : ports_(std::move(ports)),
      client_(clickHouseOptions(ports_.settings.traces)),
      probe_(probeOptions(ports_.settings.traces)),
      tables_(clickHouseAreas(clickHouseTables(ports_.settings.traces))),
      lock_database_(openLockDatabase(ports_.settings.storage, lock_metrics_)),
      locks_(locksIn(lock_database_.get())),
      feedback_(client_, ports_.metrics, ports_.clock),
      calls_(client_,
             *locks_,
             {.ref_values = ports_.ref_values,
              .feedback_fields =
                  [this](std::string_view project) { return feedback_.callFields(project); },
              .queue_fields =
                  [this](std::string_view project) {
                    return ports_.queue_fields(project, query::clickHouseDialect());
                  }},
             ports_.clock,
             ports_.metrics,
             {},
             ports_.call_changes),
      spans_(
          client_,
          {.feedback_rows =
               [](std::string_view project) { return feedback::clickHouseFeedbackRows(project); }},
          ports_.clock,
          ports_.metrics,
          {},
          &ports_.ended_turns,
          &ports_.changes),
      history_(client_, ports_.metrics),
      usage_(client_, ports_.metrics) {
  refuseEmbeddedStore(ports_.folder);
  requireClickHouse(ports_.settings.traces,
                    clickhouse::migrate(client_, clickHouseTables(ports_.settings.traces), tables_,
                                        ports_.clock.now()));
  requireClickHouse(ports_.settings.traces, requireNoMove(client_));
  requireClickHouse(ports_.settings.traces,
                    clickhouse::claimTables(client_, ports_.owner, ports_.clock.now()));
}

void ClickHouseTraces::removeProjects(
    const std::function<bool(std::string_view project_id)>& is_deleted) {
  const auto now = std::chrono::steady_clock::now();
  if (next_project_search_ && now < *next_project_search_) return;
  next_project_search_ = now + kRepeatedProjectSearchInterval;
  const Result<std::vector<std::string>> projects = clickhouse::projectsIn(client_, tables_);
  if (!projects) {
    kLog.warning("deleted_projects_not_searched", {{"error", projects.error().message()}});
    return;
  }
  std::vector<std::string> deleted;
  std::copy_if(projects->begin(), projects->end(), std::back_inserter(deleted), is_deleted);
  if (!deleted.empty()) {
    const Result<void> removed = clickhouse::removeProjects(client_, tables_, deleted);
    if (!removed) {
      kLog.warning("traces_of_deleted_projects_not_removed",
                   {{"projects", deleted.size()}, {"error", removed.error().message()}});
      return;
    }
    for (const std::string& project_id : deleted)
      kLog.info("traces_of_deleted_project_removed", {{"project", project_id}});
  }
  next_project_search_ = now + kProjectSearchInterval;
}

}  // namespace spindle::app
