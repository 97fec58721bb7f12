#pragma once

#include <vector>

#include "columnar/snapshot.h"
#include "query/sql.h"

namespace spindle::query {

/// `SELECT <list>` of the rows of all tables that satisfy the condition; both name a table `c`.
inline Sql selectFrom(const std::vector<columnar::Source>& sources,
                      SqlView list,
                      const Sql& condition) {
  Sql sql;
  for (const columnar::Source& source : sources) {
    if (!sql.text.empty()) sql.add(" UNION ALL ");
    sql.add("SELECT ").add(list).add(" FROM ").add(source.table);
    sql.add(" AS c WHERE ").add(source.condition).add(" AND ").add(condition);
  }
  return sql;
}

}  // namespace spindle::query
