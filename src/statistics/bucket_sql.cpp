#include "statistics/bucket_sql.h"

#include <algorithm>
#include <vector>

namespace spindle::statistics {

query::Sql bucketSql(const Buckets& buckets, SqlView time) {
  std::vector<BucketRun> runs = runsOf(buckets);
  std::reverse(runs.begin(), runs.end());
  const SqlText length = SqlText::number(std::chrono::microseconds(buckets.granularity).count());
  query::Sql sql("(CASE");
  for (const BucketRun& run : runs) {
    sql.add(" WHEN ").add(time).add(" >= ").param(run.begin);
    sql.add(" THEN least(" + SqlText::number(run.last) + ", " + SqlText::number(run.first) +
            " + (epoch_us(" + SqlText(time) + ") - " + SqlText::number(microsOf(run.begin)) +
            ") // " + length + ")");
  }
  return sql.add(" END)");
}

}  // namespace spindle::statistics
