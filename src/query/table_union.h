#pragma once

#include <vector>

#include "columnar/store/snapshot.h"
#include "query/sql.h"

namespace spindle::query {

/// Returns a UNION ALL of `SELECT <list>` over the rows of all tables that satisfy `condition`.
/// `list` and `condition` refer to the table as `c`.
inline Sql selectFrom(const std::vector<columnar::Source>& sources,
                      const Sql& list,
                      const Sql& condition) {
  Sql sql;
  for (const columnar::Source& source : sources) {
    if (!sql.text.empty()) sql.add(" UNION ALL ");
    sql.add("SELECT ").add(list).add(" FROM ").add(source.table);
    sql.add(" AS c WHERE ").add(source.condition).add(" AND ").add(condition);
  }
  return sql;
}
inline Sql selectFrom(const std::vector<columnar::Source>& sources,
                      SqlView list,
                      const Sql& condition) {
  return selectFrom(sources, Sql(list), condition);
}

}  // namespace spindle::query
