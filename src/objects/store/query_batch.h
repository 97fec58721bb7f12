#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::objects {

/// Queries by many ids or digests, in batches: runs `<sql> IN (…)` with the parameters `leading`
/// and then `key(i)` of each i from `begin` to before `end`. Calls `take` with each row.
template <class KeyAt, class Take>
Result<void> queryBatches(storage::Session& session,
                          SqlView sql,
                          const storage::Params& leading,
                          std::size_t begin,
                          std::size_t end,
                          const KeyAt& key,
                          const Take& take) {
  constexpr std::size_t kKeysPerQuery = 128;
  for (std::size_t first = begin; first < end; first += kKeysPerQuery) {
    const std::size_t size = std::min(kKeysPerQuery, end - first);
    const std::size_t count = storage::paddedCount(size);
    storage::Params params = leading;
    for (std::size_t i = 0; i < count; ++i) {
      params.emplace_back(key(first + std::min(i, size - 1)));
    }
    const storage::Rows rows =
        TRY(session.query(sql + " IN " + storage::placeholders(count), params));
    for (const storage::Row& row : rows) take(row);
  }
  return {};
}

/// Returns the sum of a column over the rows of a project that meet the condition (` AND …`).
inline Result<std::int64_t> sumInProject(storage::Database& database,
                                         SqlName column,
                                         SqlName table,
                                         std::string_view project_id,
                                         SqlView condition = {}) {
  return database.read([&](storage::Session& session) -> Result<std::int64_t> {
    const std::optional<storage::Row> row = TRY(session.queryOne(
        "SELECT CAST(coalesce(sum(" + SqlText(column) + "), 0) AS BIGINT) AS total FROM " + table +
            " WHERE project_id = ?" + condition,
        {project_id}));
    return row->integer("total");
  });
}

}  // namespace spindle::objects
