#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "feedback/aggregation.h"
#include "feedback/store/feedback_statements.h"

namespace spindle::feedback {

/// Counts tags and ratings with one statement for each part of the result.
class AggregateReader {
 public:
  enum class Part { kCounts, kTags, kRatings };
  static constexpr std::array kParts = {Part::kCounts, Part::kTags, Part::kRatings};

  /// The query must outlive the reader.
  AggregateReader(const FeedbackRows& rows, const FeedbackAggregateQuery& query);

  query::Sql statement(Part part) const;

  /// Adds a row of the statement of a part. `Row` is the cursor of an engine.
  template <class Row>
  void add(Part part, const Row& row) {
    std::size_t at = 0;
    BucketKey bucket_key{row.integer(at++), {}};
    while (at <= query_.group_by.size()) bucket_key.second.emplace_back(row.text(at++));
    AggregateBucket& bucket = bucketOf(std::move(bucket_key));
    switch (part) {
      case Part::kCounts:
        bucket.total_count = row.integer(at);
        bucket.scored_count = row.integer(at + 1);
        return;
      case Part::kTags:
        bucket.tag_counts[std::string(row.text(at))] = row.integer(at + 1);
        return;
      case Part::kRatings:
        const std::string name(row.text(at));
        bucket.rating_counts[name] = row.integer(at + 1);
        bucket.rating_sums[name] = row.real(at + 2);
        return;
    }
  }

  /// Returns the buckets, sorted by time and group.
  std::vector<AggregateBucket> finish();

 private:
  using BucketKey = std::pair<std::int64_t, std::vector<std::string>>;

  AggregateBucket& bucketOf(BucketKey bucket_key);

  const FeedbackAggregateQuery& query_;
  const query::Dialect& dialect_;
  query::Sql picked_;
  std::map<BucketKey, AggregateBucket> buckets_;
};

}  // namespace spindle::feedback
