#include "feedback/store/aggregation_statements.h"

#include <functional>
#include <string_view>

#include "feedback/store/feedback_row.h"
#include "query/json_value.h"

namespace spindle::feedback {
namespace {

using query::Dialect, query::Sql;

/// Extracts `name:version` of the object or op that a ref names.
Sql objectOf(SqlView column, const Dialect& dialect) {
  return dialect.urlDecoded(dialect.firstGroup(Sql(column), "'/(?:object|op)/([^/]+)'"));
}

Sql sqlOf(GroupKey key, const Dialect& dialect) {
  if (key == GroupKey::kScorerId)
    return Sql("COALESCE(").add(objectOf("f.runnable_ref", dialect)).add(", '')");
  return Sql("f.").add(columnNamed(textOf(key)));
}

/// Matches an exact string, or a prefix if the pattern ends in `*`.
Sql matches(const Sql& value, std::string_view pattern, const Dialect& dialect) {
  if (!pattern.ends_with('*')) return Sql(value).add(" = ").param(std::string(pattern));
  pattern.remove_suffix(1);
  return dialect.startsWith(value, Sql().param(std::string(pattern)));
}

/// Matches an object by its ref, by `name:version`, or by its name for all versions.
Sql namesObject(SqlView column, std::string_view pattern, const Dialect& dialect) {
  if (pattern.find("://") != std::string_view::npos) return matches(Sql(column), pattern, dialect);
  const Sql object = objectOf(column, dialect);
  if (pattern.find(':') != std::string_view::npos || pattern.ends_with('*'))
    return matches(object, pattern, dialect);
  // The name ends at the last colon.
  return matches(dialect.firstGroup(object, "'^((?:[^:]|:)*?)(?::[^:]*)?$'"), pattern, dialect);
}

/// Adds a condition that holds for any of the alternatives. Adds nothing without alternatives.
void addAny(Sql& where,
            const std::vector<std::string>& alternatives,
            const std::function<Sql(const std::string&)>& test) {
  if (alternatives.empty()) return;
  where.add(" AND (");
  for (const std::string& one : alternatives) {
    where.add(&one == alternatives.data() ? SqlView("") : SqlView(" OR ")).add(test(one));
  }
  where.add(")");
}

Sql conditionOf(const FeedbackAggregateQuery& query, const Dialect& dialect) {
  Sql where = Sql("f.created_at >= ").param(query.after);
  where.add(" AND f.created_at < ").param(query.before);
  addAny(where, query.type_prefixes, [&dialect](const std::string& prefix) {
    return dialect.startsWith(Sql("f.feedback_type"), Sql().param(prefix));
  });
  if (!query.tags.empty())
    where.add(" AND ").add(dialect.listContainsAny(Sql("f.scorer_tags"), query.tags));
  addAny(where, query.monitor_ids,
         [&dialect](const std::string& id) { return namesObject("f.trigger_ref", id, dialect); });
  addAny(where, query.scorer_ids,
         [&dialect](const std::string& id) { return namesObject("f.runnable_ref", id, dialect); });
  addAny(where, query.agent_names,
         [](const std::string& name) { return Sql("f.span_agent_name = ").param(name); });
  addAny(where, query.target_kinds,
         [](const std::string& kind) { return Sql("f.target_kind = ").param(kind); });
  const Sql rating =
      query::JsonValue(Sql("f.scorer_ratings"), {std::string(kMainRating)}, dialect).real();
  if (query.rating_min) where.add(" AND ").add(rating).add(" >= ").param(*query.rating_min);
  if (query.rating_max) where.add(" AND ").add(rating).add(" <= ").param(*query.rating_max);
  return where;
}

/// Returns the columns that identify the bucket of a row: `bucket, g0, g1, …`.
Sql bucketColumns(const FeedbackAggregateQuery& query, const Dialect& dialect) {
  Sql columns;
  if (query.bucket_seconds) {
    const Sql micros(SqlText::number(*query.bucket_seconds * 1'000'000));
    columns.add(dialect.quotient(dialect.microsecondsOf(Sql("f.created_at")), micros));
    columns.add(" * " + SqlText::number(*query.bucket_seconds * 1000) + " AS bucket");
  } else {
    columns.add("0 AS bucket");
  }
  for (std::size_t i = 0; i < query.group_by.size(); ++i) {
    columns.add(", ").add(sqlOf(query.group_by[i], dialect)).add(" AS g" + SqlText::number(i));
  }
  return columns;
}

}  // namespace

AggregateReader::AggregateReader(const FeedbackRows& rows, const FeedbackAggregateQuery& query)
    : query_(query), dialect_(rows.dialect) {
  SqlText groups("bucket");
  for (std::size_t i = 0; i < query.group_by.size(); ++i) groups += ", g" + SqlText::number(i);
  picked_.add("WITH picked AS (SELECT ").add(bucketColumns(query, dialect_));
  picked_.add(", f.scorer_tags AS tags, f.scorer_ratings AS ratings FROM ").add(rows.source);
  picked_.add(" AS f WHERE ").add(conditionOf(query, dialect_)).add(") SELECT " + groups);
}

Sql AggregateReader::statement(Part part) const {
  Sql sql = picked_;
  switch (part) {
    case Part::kCounts:
      sql.add(", count(*), count(*) FILTER (WHERE ").add(dialect_.listLength(Sql("tags")));
      sql.add(" > 0 OR ratings <> '{}') FROM picked");
      break;
    case Part::kTags:
      sql.add(", tag, count(*) FROM (SELECT *, ").add(dialect_.eachItem(Sql("tags")));
      sql.add(" AS tag FROM picked) AS p");
      break;
    case Part::kRatings:
      sql.add(", rating.key, count(rating.value), COALESCE(sum(rating.value), 0) FROM (SELECT *, ");
      sql.add(dialect_.eachNumber(Sql("ratings"))).add(" AS rating FROM picked) AS p");
      break;
  }
  return sql.add(" GROUP BY ALL");
}

AggregateBucket& AggregateReader::bucketOf(BucketKey bucket_key) {
  const auto [found, fresh] = buckets_.try_emplace(std::move(bucket_key));
  AggregateBucket& bucket = found->second;
  if (!fresh) return bucket;
  const auto& [start_ms, group] = found->first;
  if (query_.bucket_seconds) bucket.start_ms = start_ms;
  for (std::size_t i = 0; i < query_.group_by.size(); ++i) {
    bucket.group[std::string(textOf(query_.group_by[i]))] = group[i];
  }
  return bucket;
}

std::vector<AggregateBucket> AggregateReader::finish() {
  std::vector<AggregateBucket> buckets;
  buckets.reserve(buckets_.size());
  for (auto& [bucket_key, bucket] : buckets_) buckets.push_back(std::move(bucket));
  buckets_.clear();
  return buckets;
}

}  // namespace spindle::feedback
