#include "clickhouse/schema/move_mark.h"

#include "base/crypto/crypto.h"
#include "clickhouse/client/row_binary.h"

namespace spindle::clickhouse {

Result<std::optional<std::string>> unfinishedMove(Client& client) {
  bool exists = false;
  TRY(forEachRow(client.query("EXISTS TABLE spindle_move"),
                 [&exists](const Cursor& row) { exists = row.integer(0) != 0; }));
  std::optional<std::string> move;
  if (!exists) return move;
  TRY(forEachRow(client.query("SELECT move FROM spindle_move LIMIT 1"),
                 [&move](const Cursor& row) { move = row.text(0); }));
  return move;
}

Result<void> markMove(Client& client, const TableOptions& options, std::string_view move) {
  TRY(checkTableOptions(options));
  TRY(client.execute("CREATE TABLE IF NOT EXISTS spindle_move" + onCluster(options) +
                     " (move String) " + tableEngine(options, "MergeTree", {}) +
                     " ORDER BY move SETTINGS " + tableSettings(options)));
  std::string row;
  putText(row, move);
  return client.insert({"spindle_move", {"move"}}, row, toHex(sha256(move)));
}

Result<void> unmarkMove(Client& client, const TableOptions& options) {
  TRY(checkTableOptions(options));
  return client.execute("DROP TABLE IF EXISTS spindle_move" + onCluster(options) + " SYNC");
}

}  // namespace spindle::clickhouse
