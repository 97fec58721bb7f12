#include "feedback/store/columnar_feedback_store.h"

#include <utility>

#include "feedback/feedback_columns.h"
#include "feedback/store/aggregation_statements.h"
#include "feedback/store/feedback_row.h"
#include "feedback/store/feedback_sql_fields.h"
#include "feedback/store/statistics_statements.h"

namespace spindle::feedback {
namespace {

using columnar::Cursor, columnar::Snapshot;
using query::Sql;

constexpr std::size_t kBatch = 256;

class FeedbackChange final : public columnar::Change {
 public:
  explicit FeedbackChange(columnar::FamilyId family) : family_(family) {}

  void add(ProjectFeedback feedback) {
    bytes_ += 256 + feedback.feedback.payload.size();
    added_.push_back(std::move(feedback));
  }
  void remove(std::string_view project_id, std::string_view id) {
    removed_.emplace_back(project_id, id);
  }
  std::size_t bytes() const { return bytes_; }

  Result<void> plan(columnar::Plan& plan) override {
    for (const auto& [project_id, id] : removed_) plan.erase(family_, project_id, id);
    for (ProjectFeedback& one : added_) {
      plan.put(family_, one.project_id, rowOf(std::move(one.feedback)));
    }
    return {};
  }

 private:
  const columnar::FamilyId family_;
  std::vector<ProjectFeedback> added_;
  std::vector<std::pair<std::string, std::string>> removed_;
  std::size_t bytes_ = 256;
};

/// Owns a snapshot and the cursors over it.
class StoreReader final : public FeedbackReader {
 public:
  StoreReader(Snapshot snapshot, std::size_t texts)
      : snapshot_(std::move(snapshot)), texts_(texts) {}

  Result<void> start(const FeedbackPageStatements& page) {
    TRY(forEachRow(snapshot_.query(page.counting.text, page.counting.params),
                   [this](const Cursor& row) { total_ = row.integer(0); }));
    Cursor cursor = TRY(snapshot_.query(page.rows.text, page.rows.params));
    rows_.emplace(std::move(cursor));
    return {};
  }

  std::int64_t total() const override { return total_; }

  Result<std::vector<FeedbackRow>> next() override {
    std::vector<FeedbackRow> batch;
    while (batch.size() < kBatch) {
      if (!TRY(rows_->next())) break;
      FeedbackRow& one = batch.emplace_back();
      one.feedback = feedbackAt(*rows_);
      for (std::size_t i = 0; i < texts_; ++i) {
        one.texts.emplace_back(rows_->text(kFeedbackColumns.size() + i));
      }
    }
    return batch;
  }

 private:
  Snapshot snapshot_;
  const std::size_t texts_;
  std::int64_t total_ = 0;
  std::optional<Cursor> rows_;
};

}  // namespace

Result<void> ColumnarFeedbackStore::add(std::vector<ProjectFeedback> feedback) {
  FeedbackChange change(family_);
  for (ProjectFeedback& one : feedback) change.add(std::move(one));
  return store_.write(change, change.bytes());
}

Result<void> ColumnarFeedbackStore::remove(std::string_view project_id,
                                           const std::vector<std::string>& ids) {
  FeedbackChange change(family_);
  for (const std::string& id : ids) change.remove(project_id, id);
  return store_.write(change, change.bytes());
}

Result<void> ColumnarFeedbackStore::replace(std::string_view removed_id, ProjectFeedback feedback) {
  FeedbackChange change(family_);
  change.remove(feedback.project_id, removed_id);
  change.add(std::move(feedback));
  return store_.write(change, change.bytes());
}

FeedbackRows ColumnarFeedbackStore::rowsOf(const Snapshot& snapshot,
                                           std::string_view project_id) const {
  return {Sql(snapshot.from(family_, project_id)), query::duckDbDialect()};
}

Result<std::unique_ptr<FeedbackReader>> ColumnarFeedbackStore::read(
    std::string_view project_id, std::string_view project, const FeedbackQuery& request) const {
  Snapshot snapshot = TRY(store_.snapshot());
  const FeedbackPageStatements page =
      TRY(pageStatements(rowsOf(snapshot, project_id), project, request));
  auto reader = std::make_unique<StoreReader>(std::move(snapshot), request.paths.size());
  TRY(reader->start(page));
  return std::unique_ptr<FeedbackReader>(std::move(reader));
}

Result<std::unordered_map<std::string, std::vector<Feedback>>> ColumnarFeedbackStore::ofTargets(
    std::string_view project_id,
    std::string_view target_kind,
    const std::vector<std::string>& target_ids) const {
  std::unordered_map<std::string, std::vector<Feedback>> found;
  if (target_ids.empty()) return found;
  Snapshot snapshot = TRY(store_.snapshot());
  const Sql sql = targetsStatement(rowsOf(snapshot, project_id), target_kind, target_ids);
  TRY(forEachRow(snapshot.query(sql.text, sql.params), [&found](const Cursor& row) {
    Feedback feedback = feedbackAt(row);
    std::vector<Feedback>& list = found[feedback.target_id];
    list.push_back(std::move(feedback));
  }));
  return found;
}

Result<std::vector<AggregateBucket>> ColumnarFeedbackStore::aggregate(
    std::string_view project_id, const FeedbackAggregateQuery& query) const {
  Snapshot snapshot = TRY(store_.snapshot());
  AggregateReader reader(rowsOf(snapshot, project_id), query);
  for (const AggregateReader::Part part : AggregateReader::kParts) {
    const Sql sql = reader.statement(part);
    TRY(forEachRow(snapshot.query(sql.text, sql.params),
                   [&](const Cursor& row) { reader.add(part, row); }));
  }
  return reader.finish();
}

Result<Statistics> ColumnarFeedbackStore::statistics(std::string_view project_id,
                                                     const FeedbackStatisticsQuery& query) const {
  if (query.buckets.begins.empty()) return Statistics();
  Snapshot snapshot = TRY(store_.snapshot());
  StatisticsReader reader(rowsOf(snapshot, project_id), query);
  const Sql buckets = reader.bucketsStatement();
  TRY(forEachRow(snapshot.query(buckets.text, buckets.params),
                 [&reader](const Cursor& row) { reader.addBucket(row); }));
  const Sql window = reader.windowStatement();
  if (window.text.empty()) return reader.finish();
  TRY(forEachRow(snapshot.query(window.text, window.params),
                 [&reader](const Cursor& row) { reader.addWindow(row); }));
  return reader.finish();
}

Result<std::vector<std::string>> ColumnarFeedbackStore::payloads(std::string_view project_id,
                                                                 const PayloadFilter& filter,
                                                                 std::int64_t limit) const {
  Snapshot snapshot = TRY(store_.snapshot());
  const Sql sql = payloadsStatement(rowsOf(snapshot, project_id), filter, limit);
  return collectRows(snapshot.query(sql.text, sql.params),
                     [](const Cursor& row) { return std::string(row.text(0)); });
}

std::unique_ptr<query::Fields> ColumnarFeedbackStore::callFields(
    const Snapshot& snapshot, std::string_view project_id) const {
  return std::make_unique<CallFeedbackFields>(Sql(snapshot.from(family_, project_id)));
}

}  // namespace spindle::feedback
