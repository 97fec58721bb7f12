#pragma once

#include <string_view>
#include <vector>

#include "base/core/sql_text.h"

namespace spindle::clickhouse {

/// One step of an area's schema. Never changed after a release. Each statement has the same effect
/// when it runs twice, also at the same time.
struct Migration {
  int version = 0;             ///< 1, 2, 3, … within the area
  std::string_view name = {};  ///< a short description for the operator
  std::vector<SqlText> statements = {};
};

/// The tables of one area. The texts are literals.
struct AreaSchema {
  std::string_view area;
  std::vector<Migration> migrations;  ///< in order of version, without gaps
  /// The tables whose rows belong to the project in their column `project_id`, and are deleted with
  /// it.
  std::vector<SqlName> project_tables = {};
  /// The other tables.
  std::vector<SqlName> shared_tables = {};
};

}  // namespace spindle::clickhouse
