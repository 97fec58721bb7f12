#include "clickhouse/schema/server_check.h"

#include <optional>
#include <string>

#include "base/core/check.h"
#include "base/crypto/crypto.h"
#include "clickhouse/client/cursor.h"
#include "clickhouse/schema/migrator.h"

namespace spindle::clickhouse {
namespace {

constexpr std::size_t kNameLength = 12;

/// Writes a row into the table and reads it.
Result<void> tryTable(Client& client, const SqlText& table) {
  TRY(client.execute("INSERT INTO " + table + " SELECT 'written'"));
  std::string found;
  TRY(forEachRow(client.query("SELECT text FROM " + table),
                 [&found](const Cursor& row) { found = std::string(row.text(0)); }));
  if (found == "written") return {};
  return Error::unavailable("ClickHouse acknowledged a row and did not return it.");
}

}  // namespace

Result<ServerVersion> checkRelease(Client& client) {
  const ServerVersion version = TRY(client.version());
  if (version >= kOldestServer) return version;
  return Error(ErrorCode::kPreconditionFailed, "ClickHouse " + std::to_string(version.major) + "." +
                                                   std::to_string(version.minor) +
                                                   " is too old; 24.8 or later is required.");
}

Result<ServerVersion> checkServer(Client& client, const TableOptions& options) {
  TRY(checkTableOptions(options));
  const ServerVersion version = TRY(checkRelease(client));
  const std::optional<SqlText> table =
      SqlText::identifier("spindle_check_" + randomAlphanumeric(kNameLength));
  SPINDLE_ASSERT(table.has_value(), "letters and digits are a name");
  TRY(client.execute("CREATE TABLE " + *table + onCluster(options) + " (text String) " +
                     tableEngine(options, "MergeTree", "") + " ORDER BY text SETTINGS " +
                     tableSettings(options)));
  const Result<void> tried = tryTable(client, *table);
  const Result<void> dropped =
      client.execute("DROP TABLE " + *table + onCluster(options) + " SYNC");
  TRY(tried);
  TRY(dropped);
  return version;
}

}  // namespace spindle::clickhouse
