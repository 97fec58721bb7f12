#include <algorithm>
#include <functional>
#include <utility>

#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "query/json_value.h"

namespace spindle::feedback {
namespace {

using columnar::Cursor, columnar::Snapshot;
using query::Sql;

/// Extracts `name:version` of the object or op that a ref names.
SqlText objectOf(SqlView column) {
  return "url_decode(regexp_extract(" + SqlText(column) + R"(, '/(?:object|op)/([^/]+)', 1)))";
}

Sql sqlOf(GroupKey key) {
  if (key == GroupKey::kScorerId) return Sql("COALESCE(" + objectOf("f.runnable_ref") + ", '')");
  return Sql("f.").add(columnNamed(textOf(key)));
}

/// Matches an exact string, or a prefix if the pattern ends in `*`.
Sql matches(const Sql& value, std::string_view pattern) {
  if (!pattern.ends_with('*')) return Sql(value).add(" = ").param(std::string(pattern));
  pattern.remove_suffix(1);
  return Sql("starts_with(").add(value).add(", ").param(std::string(pattern)).add(")");
}

/// Matches an object by its ref, by `name:version`, or by its name for all versions.
Sql namesObject(SqlView column, std::string_view pattern) {
  if (pattern.find("://") != std::string_view::npos) return matches(Sql(column), pattern);
  const SqlText object = objectOf(column);
  if (pattern.find(':') != std::string_view::npos || pattern.ends_with('*')) {
    return matches(Sql(object), pattern);
  }
  return matches(Sql("regexp_replace(" + object + ", ':[^:]*$', '')"), pattern);
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

Sql conditionOf(const FeedbackAggregateQuery& query) {
  Sql where = Sql("f.created_at >= ").param(query.after);
  where.add(" AND f.created_at < ").param(query.before);
  addAny(where, query.type_prefixes, [](const std::string& prefix) {
    return Sql("starts_with(f.feedback_type, ").param(prefix).add(")");
  });
  addAny(where, query.tags, [](const std::string& tag) {
    return Sql("list_contains(f.scorer_tags, ").param(tag).add(")");
  });
  addAny(where, query.monitor_ids,
         [](const std::string& id) { return namesObject("f.trigger_ref", id); });
  addAny(where, query.scorer_ids,
         [](const std::string& id) { return namesObject("f.runnable_ref", id); });
  addAny(where, query.agent_names,
         [](const std::string& name) { return Sql("f.span_agent_name = ").param(name); });
  addAny(where, query.target_kinds,
         [](const std::string& kind) { return Sql("f.target_kind = ").param(kind); });
  const Sql rating = query::JsonValue(Sql("f.scorer_ratings"), {std::string(kMainRating)}).real();
  if (query.rating_min) where.add(" AND ").add(rating).add(" >= ").param(*query.rating_min);
  if (query.rating_max) where.add(" AND ").add(rating).add(" <= ").param(*query.rating_max);
  return where;
}

/// Returns the columns that identify the bucket of a row: `bucket, g0, g1, …`.
Sql bucketColumns(const FeedbackAggregateQuery& query) {
  Sql bucket_key;
  if (query.bucket_seconds) {
    const SqlText length = SqlText::number(*query.bucket_seconds * 1000);
    bucket_key.add("epoch_ms(f.created_at) // " + length + " * " + length + " AS bucket");
  } else {
    bucket_key.add("0 AS bucket");
  }
  for (std::size_t i = 0; i < query.group_by.size(); ++i) {
    bucket_key.add(", ").add(sqlOf(query.group_by[i])).add(" AS g" + SqlText::number(i));
  }
  return bucket_key;
}

using BucketKey = std::pair<std::int64_t, std::vector<std::string>>;

class Aggregator {
 public:
  Aggregator(Snapshot snapshot, SqlView from, const FeedbackAggregateQuery& query)
      : snapshot_(std::move(snapshot)), query_(query) {
    // cppcheck-suppress useInitializationList ; groups() reads the other members
    picked_ = Sql("WITH picked AS (SELECT ").add(bucketColumns(query));
    picked_.add(", f.scorer_tags, f.scorer_ratings FROM " + SqlText(from) + " AS f WHERE ")
        .add(conditionOf(query))
        .add(") SELECT " + groups());
  }

  Result<std::vector<AggregateBucket>> run() {
    // Each part of the response is a separate statement over the same snapshot.
    TRY(each(
        ", count(*), count(*) FILTER (WHERE len(scorer_tags) > 0 OR scorer_ratings <> '{}') FROM "
        "picked",
        [](AggregateBucket& bucket, const Cursor& row, std::size_t at) {
          bucket.total_count = row.integer(at);
          bucket.scored_count = row.integer(at + 1);
        }));
    TRY(each(", tag, count(*) FROM (SELECT *, unnest(scorer_tags) AS tag FROM picked)",
             [](AggregateBucket& bucket, const Cursor& row, std::size_t at) {
               bucket.tag_counts[std::string(row.text(at))] = row.integer(at + 1);
             }));
    TRY(each(
        ", rating.key, count(rating.value), sum(rating.value) FROM (SELECT *, "
        "unnest(map_entries(CAST(CAST(scorer_ratings AS JSON) AS MAP(VARCHAR, DOUBLE)))) AS rating "
        "FROM picked)",
        [](AggregateBucket& bucket, const Cursor& row, std::size_t at) {
          const std::string key(row.text(at));
          bucket.rating_counts[key] = row.integer(at + 1);
          bucket.rating_sums[key] = row.real(at + 2);
        }));
    std::vector<AggregateBucket> buckets;
    for (auto& [bucket_key, bucket] : buckets_) buckets.push_back(std::move(bucket));
    return buckets;
  }

 private:
  using Fill = void (*)(AggregateBucket& bucket, const Cursor& row, std::size_t first_column);

  SqlText groups() const {
    SqlText list("bucket");
    for (std::size_t i = 0; i < query_.group_by.size(); ++i) {
      list += ", g" + SqlText::number(i);
    }
    return list;
  }

  Result<void> each(SqlView rest, Fill fill) {
    Sql sql = Sql(picked_).add(rest).add(" GROUP BY ALL");
    return forEachRow(snapshot_.query(sql.text, sql.params), [&](const Cursor& row) {
      fill(bucketAt(row), row, 1 + query_.group_by.size());
    });
  }

  AggregateBucket& bucketAt(const Cursor& row) {
    BucketKey bucket_key{row.integer(0), {}};
    for (std::size_t i = 0; i < query_.group_by.size(); ++i) {
      bucket_key.second.emplace_back(row.text(1 + i));
    }
    const auto [found, fresh] = buckets_.try_emplace(bucket_key);
    AggregateBucket& bucket = found->second;
    if (!fresh) return bucket;
    if (query_.bucket_seconds) bucket.start_ms = bucket_key.first;
    for (std::size_t i = 0; i < query_.group_by.size(); ++i) {
      bucket.group[std::string(textOf(query_.group_by[i]))] = bucket_key.second[i];
    }
    return bucket;
  }

  Snapshot snapshot_;
  const FeedbackAggregateQuery& query_;
  Sql picked_;
  std::map<BucketKey, AggregateBucket> buckets_;
};

}  // namespace

Result<std::vector<AggregateBucket>> ColumnarFeedbackStore::aggregate(
    std::string_view project_id, const FeedbackAggregateQuery& query) const {
  Snapshot snapshot = TRY(store_.snapshot());
  const SqlText from = snapshot.from(family_, project_id);
  return Aggregator(std::move(snapshot), from, query).run();
}

}  // namespace spindle::feedback
