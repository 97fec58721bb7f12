#include "clickhouse/schema/migrator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/core/check.h"
#include "base/crypto/crypto.h"
#include "base/crypto/id.h"
#include "clickhouse/client/log.h"
#include "clickhouse/client/row_binary.h"
#include "clickhouse/schema/server_check.h"

namespace spindle::clickhouse {
namespace {

/// The recorded digests by area and version.
using Recorded = std::map<std::pair<std::string, int>, std::string>;

/// The record of the owner, beside those of the areas. Steps begin at 1.
constexpr std::string_view kOwner = "owner";
constexpr int kOwnerVersion = 0;

const InsertTarget kRecords = {"spindle_migrations",
                               {"area", "version", "name", "digest", "applied_at"}};

Result<void> createRecords(Client& client, const TableOptions& options) {
  return client.execute("CREATE TABLE IF NOT EXISTS spindle_migrations" + onCluster(options) +
                        " (area LowCardinality(String), version UInt32, name String, digest "
                        "String, applied_at DateTime64(6, 'UTC')) " +
                        tableEngine(options, "ReplacingMergeTree", "applied_at") +
                        " ORDER BY (area, version) SETTINGS " + tableSettings(options));
}

Result<Recorded> readRecords(Client& client) {
  Recorded recorded;
  TRY(forEachRow(client.query("SELECT area, version, digest FROM spindle_migrations FINAL"),
                 [&recorded](const Cursor& row) {
                   recorded.emplace(
                       std::pair(std::string(row.text(0)), static_cast<int>(row.integer(1))),
                       row.text(2));
                 }));
  return recorded;
}

/// Returns the digest of the statements, which also depends on the options.
std::string digestOf(const Migration& migration) {
  std::string text;
  for (const SqlText& statement : migration.statements) text += statement.text() + ";";
  return toHex(sha256(text));
}

Result<void> record(Client& client,
                    std::string_view area,
                    int version,
                    std::string_view name,
                    std::string_view digest,
                    Timestamp now) {
  std::string row;
  putText(row, area);
  putInteger(row, static_cast<std::uint32_t>(version));
  putText(row, name);
  putText(row, digest);
  putTime(row, now);
  return client.insert(kRecords, row, newUuid(now));
}

Result<void> checkKnown(const Recorded& recorded, const std::vector<AreaSchema>& areas) {
  for (const auto& [step, digest] : recorded) {
    const auto& [area, version] = step;
    const auto known =
        std::find_if(areas.begin(), areas.end(),
                     [&area = area](const AreaSchema& each) { return each.area == area; });
    const int newest = known == areas.end() ? 0 : static_cast<int>(known->migrations.size());
    if (version <= newest) continue;
    return Error(ErrorCode::kPreconditionFailed,
                 "The ClickHouse database was changed by a newer version of Spindle (" + area +
                     " has step " + std::to_string(version) + ", this program knows " +
                     std::to_string(newest) + "). Start that version, or use another database.");
  }
  return {};
}

Result<bool> hasRecords(Client& client) {
  bool found = false;
  TRY(forEachRow(client.query("EXISTS TABLE spindle_migrations"),
                 [&found](const Cursor& row) { found = row.integer(0) != 0; }));
  return found;
}

/// Applies a step that is not recorded.
using Apply = std::function<Result<void>(
    std::string_view area, const Migration& migration, const std::string& digest)>;

/// Calls `apply` for each step of the areas that is not recorded, in order.
Result<void> forEachMissing(const Recorded& recorded,
                            const std::vector<AreaSchema>& areas,
                            const Apply& apply) {
  for (const AreaSchema& area : areas) {
    int expected = 0;
    for (const Migration& migration : area.migrations) {
      SPINDLE_ASSERT(migration.version == ++expected, "migrations are numbered without gaps");
      const std::string digest = digestOf(migration);
      const auto known = recorded.find({std::string(area.area), migration.version});
      if (known != recorded.end() && known->second == digest) continue;
      if (known != recorded.end()) {
        return Error(ErrorCode::kPreconditionFailed,
                     "Step " + std::to_string(migration.version) + " of " + std::string(area.area) +
                         " differs from the one that created the ClickHouse tables. Were they "
                         "created with other settings of the cluster?");
      }
      TRY(apply(area.area, migration, digest));
    }
  }
  return {};
}

}  // namespace

Result<void> migrate(Client& client,
                     const TableOptions& options,
                     const std::vector<AreaSchema>& areas,
                     Timestamp now) {
  TRY(checkTableOptions(options));
  TRY(checkRelease(client));
  TRY(createRecords(client, options));
  const Recorded recorded = TRY(readRecords(client));
  TRY(checkKnown(recorded, areas));
  return forEachMissing(
      recorded, areas,
      [&](std::string_view area, const Migration& migration,
          const std::string& digest) -> Result<void> {
        for (const SqlText& statement : migration.statements) TRY(client.execute(statement));
        TRY(record(client, area, migration.version, migration.name, digest, now));
        kLog.info("migrated",
                  {{"area", area}, {"version", migration.version}, {"name", migration.name}});
        return {};
      });
}

Result<void> checkMigrated(Client& client,
                           const TableOptions& options,
                           const std::vector<AreaSchema>& areas) {
  TRY(checkTableOptions(options));
  TRY(checkRelease(client));
  if (!TRY(hasRecords(client))) {
    return Error(ErrorCode::kPreconditionFailed,
                 "The ClickHouse database has no tables of Spindle.");
  }
  const Recorded recorded = TRY(readRecords(client));
  TRY(checkKnown(recorded, areas));
  return forEachMissing(
      recorded, areas,
      [](std::string_view /*area*/, const Migration& /*migration*/, const std::string& /*digest*/) {
        return Result<void>(Error(ErrorCode::kPreconditionFailed,
                                  "The ClickHouse database was written by an older version of "
                                  "Spindle: start `spindle serve` of this version once on it."));
      });
}

Result<void> claimTables(Client& client, std::string_view owner, Timestamp now) {
  const std::pair<std::string, int> key(kOwner, kOwnerVersion);
  Recorded recorded = TRY(readRecords(client));
  if (recorded.find(key) == recorded.end()) {
    TRY(record(client, kOwner, kOwnerVersion, "deployment", owner, now));
    recorded = TRY(readRecords(client));
  }
  const auto found = recorded.find(key);
  if (found != recorded.end() && found->second == owner) return {};
  return Error(ErrorCode::kPreconditionFailed,
               "The ClickHouse database belongs to a deployment with another secret key. Set "
               "storage.secret_key to the key of that deployment, or use another database.");
}

}  // namespace spindle::clickhouse
