#include "statistics/bucket_sql.h"

#include <algorithm>
#include <vector>

namespace spindle::statistics {

query::Sql bucketSql(const Buckets& buckets, SqlView time) {
  std::vector<BucketRun> runs = runsOf(buckets);
  std::reverse(runs.begin(), runs.end());
  const SqlText length = SqlText::number(std::chrono::microseconds(buckets.granularity).count());
  const auto place = [&](const BucketRun& run) {
    return "least(" + SqlText::number(run.last) + ", " + SqlText::number(run.first) +
           " + (epoch_us(" + SqlText(time) + ") - " + SqlText::number(microsOf(run.begin)) +
           ") // " + length + ")";
  };
  // Without changes of the clock all buckets are one run.
  if (runs.size() == 1) return query::Sql(place(runs.front()));
  query::Sql sql("(CASE");
  for (const BucketRun& run : runs) {
    sql.add(" WHEN ").add(time).add(" >= ").param(run.begin);
    sql.add(" THEN " + place(run));
  }
  return sql.add(" END)");
}

}  // namespace spindle::statistics
