#include "statistics/bucket_sql.h"

#include <algorithm>
#include <vector>

namespace spindle::statistics {

query::Sql bucketSql(const Buckets& buckets, SqlView time, const query::Dialect& dialect) {
  std::vector<BucketRun> runs = runsOf(buckets);
  std::reverse(runs.begin(), runs.end());
  const SqlText length = SqlText::number(std::chrono::microseconds(buckets.granularity).count());
  const query::Sql micros = dialect.microsecondsOf(query::Sql(time));
  const auto place = [&](const BucketRun& run) {
    const query::Sql since_begin("(" + micros.text + " - " + SqlText::number(microsOf(run.begin)) +
                                 ")");
    return "least(" + SqlText::number(run.last) + ", " + SqlText::number(run.first) + " + " +
           dialect.quotient(since_begin, query::Sql(length)).text + ")";
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
