#include "clickhouse/schema/project_rows.h"

#include <set>

#include "clickhouse/client/cursor.h"

namespace spindle::clickhouse {

Result<std::vector<std::string>> projectsIn(Client& client, const std::vector<AreaSchema>& areas) {
  std::set<std::string> found;
  for (const AreaSchema& area : areas) {
    for (const SqlName table : area.project_tables) {
      TRY(forEachRow(client.query("SELECT DISTINCT project_id FROM " + SqlText(table)),
                     [&found](const Cursor& row) { found.emplace(row.text(0)); }));
    }
  }
  return std::vector<std::string>(found.begin(), found.end());
}

Result<void> removeProjects(Client& client,
                            const std::vector<AreaSchema>& areas,
                            const std::vector<std::string>& project_ids) {
  if (project_ids.empty()) return {};
  for (const AreaSchema& area : areas) {
    for (const SqlName table : area.project_tables) {
      TRY(client.execute("DELETE FROM " + SqlText(table) + " WHERE has(?, project_id)",
                         {project_ids}));
    }
  }
  return {};
}

Result<void> removeAll(Client& client,
                       const TableOptions& options,
                       const std::vector<AreaSchema>& areas) {
  TRY(checkTableOptions(options));
  for (const AreaSchema& area : areas) {
    for (const std::vector<SqlName>& tables : {area.project_tables, area.shared_tables}) {
      for (const SqlName table : tables)
        TRY(client.execute("TRUNCATE TABLE " + SqlText(table) + onCluster(options)));
    }
  }
  return {};
}

}  // namespace spindle::clickhouse
