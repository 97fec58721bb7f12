#include "app/commands/row_check.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/traces/columnar_families.h"
#include "backup/data_layout.h"
#include "storage/database/sqlite_snapshot.h"

namespace spindle::app {
namespace {

constexpr std::size_t kIdsOfQuery = 100;

using IdsByProject = std::map<std::string, std::vector<std::string>>;

/// Returns the calls that annotation queues refer to.
IdsByProject queuedCalls(storage::SqliteFile& metadata) {
  IdsByProject calls;
  if (!metadata.hasTable("annotation_items")) return calls;
  metadata.each("SELECT DISTINCT project_id, call_id FROM annotation_items",
                [&calls](const std::vector<std::string>& row) { calls[row[0]].push_back(row[1]); });
  return calls;
}

/// Returns how many of the calls are in the store.
Result<std::size_t> countCalls(columnar::Snapshot& snapshot,
                               const std::string& project,
                               const std::vector<std::string>& ids) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < ids.size(); at += kIdsOfQuery) {
    std::vector<columnar::Value> params;
    SqlText marks;
    for (std::size_t i = at; i < std::min(at + kIdsOfQuery, ids.size()); ++i) {
      params.emplace_back(ids[i]);
      marks += marks.empty() ? SqlView("?") : SqlView(", ?");
    }
    columnar::Cursor rows =
        TRY(snapshot.query("SELECT count(*) FROM " + snapshot.from(kCalls, project) +
                               " AS c WHERE id IN (" + marks + ")",
                           params));
    if (TRY(rows.next())) found += static_cast<std::size_t>(rows.integer(0));
  }
  return found;
}

}  // namespace

void checkRows(const config::Settings& settings,
               const std::string& data_folder,
               backup::CheckReport& report) {
  const std::string metadata = data_folder + "/" + std::string(backup::kMetadataFile);
  const std::string traces = data_folder + "/" + std::string(backup::kTracesFolder);
  std::error_code problem;
  if (!std::filesystem::exists(traces, problem)) return;
  try {
    MetricRegistry metrics;
    const std::unique_ptr<columnar::Store> store =
        openColumnarStore(settings, storage::DataFolder(data_folder), metrics);
    std::size_t wanted = 0;
    std::size_t found = 0;
    if (std::filesystem::exists(metadata, problem)) {
      storage::SqliteFile database(metadata, true);
      Result<columnar::Snapshot> snapshot = store->snapshot();
      if (!snapshot) throw std::runtime_error(snapshot.error().message());
      for (const auto& [project, ids] : queuedCalls(database)) {
        const Result<std::size_t> count = countCalls(*snapshot, project, ids);
        if (!count) throw std::runtime_error(count.error().message());
        wanted += ids.size();
        found += *count;
      }
    }
    report.facts.push_back(
        fmt::format("traces: the store opens; {} of {} calls in annotation "
                    "queues exist",
                    found, wanted));
    if (found < wanted) {
      report.notes.push_back(
          fmt::format("{} calls in annotation queues do not exist: they were deleted or have "
                      "expired",
                      wanted - found));
    }
  } catch (const std::exception& failure) {
    report.problems.push_back(fmt::format("{}: the server cannot open the store: {}",
                                          backup::kTracesFolder, failure.what()));
  }
}

}  // namespace spindle::app
