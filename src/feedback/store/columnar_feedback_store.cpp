#include "feedback/store/columnar_feedback_store.h"

#include <utility>

#include "feedback/feedback_columns.h"
#include "feedback/store/feedback_row.h"
#include "feedback/store/feedback_sql_fields.h"
#include "query/compiler.h"
#include "query/json_value.h"

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

  Result<void> start(const Sql& counting, const Sql& rows) {
    TRY(forEachRow(snapshot_.query(counting.text, counting.params),
                   [this](const Cursor& row) { total_ = row.integer(0); }));
    Cursor cursor = TRY(snapshot_.query(rows.text, rows.params));
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

/// Returns `, <string expression>` for each path.
Result<Sql> textsAt(const std::vector<std::string>& paths, const query::Fields& fields) {
  Sql sql;
  for (const std::string& path : paths) {
    query::Field field = TRY(fields.resolve(path));
    sql.add(", ").add(query::JsonValue(std::move(field.sql), field.path).text());
  }
  return sql;
}

Sql paging(const FeedbackQuery& request) {
  Sql sql;
  if (request.limit) sql.add(" LIMIT ").param(*request.limit);
  if (request.offset > 0) sql.add(" OFFSET ").param(request.offset);
  return sql;
}

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

Result<std::unique_ptr<FeedbackReader>> ColumnarFeedbackStore::read(
    std::string_view project_id, std::string_view project, const FeedbackQuery& request) const {
  const FeedbackSqlFields fields(project);
  Result<Sql> condition = Sql("TRUE");
  if (request.query) condition = query::compileCondition(*request.query, fields);
  if (!condition) return std::move(condition).error();
  std::vector<query::SortKey> keys = request.sort;
  if (keys.empty()) keys.push_back({"created_at", false});
  const Sql order =
      TRY(query::compileSort(query::withTieBreak(std::move(keys), "id", "created_at"), fields));
  const Sql texts = TRY(textsAt(request.paths, fields));

  Snapshot snapshot = TRY(store_.snapshot());
  const Sql matching =
      Sql(" FROM " + snapshot.from(family_, project_id) + " AS f WHERE ").add(*condition);
  const Sql counting = Sql("SELECT count(*)").add(matching);
  const Sql rows = Sql("SELECT " + columnList())
                       .add(texts)
                       .add(matching)
                       .add(" ORDER BY ")
                       .add(order)
                       .add(paging(request));
  auto reader = std::make_unique<StoreReader>(std::move(snapshot), request.paths.size());
  TRY(reader->start(counting, rows));
  return std::unique_ptr<FeedbackReader>(std::move(reader));
}

Result<std::unordered_map<std::string, std::vector<Feedback>>> ColumnarFeedbackStore::ofTargets(
    std::string_view project_id,
    std::string_view target_kind,
    const std::vector<std::string>& target_ids) const {
  std::unordered_map<std::string, std::vector<Feedback>> found;
  if (target_ids.empty()) return found;
  Snapshot snapshot = TRY(store_.snapshot());
  Sql sql("SELECT " + columnList() + " FROM " + snapshot.from(family_, project_id) +
          " AS f WHERE f.target_kind = ");
  sql.param(std::string(target_kind)).add(" AND f.target_id IN (");
  for (std::size_t i = 0; i < target_ids.size(); ++i) {
    sql.add(i > 0 ? SqlView(", ") : SqlView("")).param(target_ids[i]);
  }
  sql.add(") ORDER BY f.created_at, f.id");
  TRY(forEachRow(snapshot.query(sql.text, sql.params), [&found](const Cursor& row) {
    Feedback feedback = feedbackAt(row);
    std::vector<Feedback>& list = found[feedback.target_id];
    list.push_back(std::move(feedback));
  }));
  return found;
}

std::unique_ptr<query::Fields> ColumnarFeedbackStore::callFields(
    const Snapshot& snapshot, std::string_view project_id) const {
  return std::make_unique<CallFeedbackFields>(snapshot.from(family_, project_id));
}

}  // namespace spindle::feedback
