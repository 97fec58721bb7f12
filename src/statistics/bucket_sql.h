#pragma once

#include "base/core/sql_text.h"
#include "query/dialect.h"
#include "query/sql.h"
#include "statistics/buckets.h"

namespace spindle::statistics {

/// Returns the SQL of the index of the bucket that contains `time`, a timestamp column. The time
/// must lie within the buckets.
query::Sql bucketSql(const Buckets& buckets,
                     SqlView time,
                     const query::Dialect& dialect = query::duckDbDialect());

}  // namespace spindle::statistics
