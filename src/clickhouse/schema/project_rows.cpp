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

}  // namespace spindle::clickhouse
