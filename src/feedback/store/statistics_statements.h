#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feedback/statistics.h"
#include "feedback/store/feedback_statements.h"

namespace spindle::feedback {

/// Computes statistics of payload values with two statements.
class StatisticsReader {
 public:
  /// The query must outlive the reader.
  StatisticsReader(const FeedbackRows& rows, const FeedbackStatisticsQuery& query);

  /// Returns the statement of the buckets that contain feedback.
  query::Sql bucketsStatement() const;
  /// Returns the statement of the whole time range; empty without metrics.
  query::Sql windowStatement() const;

  /// Add a row of the statement. `Row` is the cursor of an engine.
  template <class Row>
  void addBucket(const Row& row) {
    StatisticsBucket& bucket = found_.buckets.at(static_cast<std::size_t>(row.integer(0)));
    bucket.count = row.integer(1);
    readValues(row, 2, bucket.values);
  }
  template <class Row>
  void addWindow(const Row& row) {
    found_.window = valuesWithoutFeedback();
    readValues(row, 1, found_.window);
  }

  Statistics finish() { return std::move(found_); }

 private:
  template <class Row>
  static void readValues(const Row& row, std::size_t column, std::vector<StatisticValue>& values) {
    for (StatisticValue& value : values) {
      value.value.reset();
      if (!row.isNull(column)) value.value = row.real(column);
      ++column;
    }
  }
  std::vector<StatisticValue> valuesWithoutFeedback() const;

  const FeedbackStatisticsQuery& query_;
  const query::Dialect& dialect_;
  query::Sql picked_;      ///< a table: the bucket and the values of each row
  query::Sql aggregates_;  ///< `, <aggregate>` for each value
  Statistics found_;
};

}  // namespace spindle::feedback
