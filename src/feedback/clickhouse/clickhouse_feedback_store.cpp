#include "feedback/clickhouse/clickhouse_feedback_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "feedback/clickhouse/feedback_table.h"
#include "feedback/feedback_columns.h"
#include "feedback/store/aggregation_statements.h"
#include "feedback/store/feedback_row.h"
#include "feedback/store/feedback_sql_fields.h"
#include "feedback/store/feedback_statements.h"
#include "feedback/store/statistics_statements.h"

namespace spindle::feedback {
namespace {

using clickhouse::Client, clickhouse::Cursor;
using query::Sql;

/// Ids in one statement that looks for known versions.
constexpr std::size_t kIdsAtOnce = 1'000;
constexpr std::size_t kBatch = 256;

const query::Dialect& dialect() { return query::clickHouseDialect(query::EmptyLists::kValues); }

FeedbackRows rowsOf(std::string_view project_id, const Sql& condition = {}) {
  return {clickHouseFeedbackRows(project_id, condition), dialect()};
}

/// Runs a statement over clickHouseFeedbackRows().
Result<Cursor> run(Client& client, Sql sql) {
  sql.add(clickhouse::finalSettings());
  return client.query(sql.text, sql.params);
}

class StreamedFeedback final : public FeedbackReader {
 public:
  StreamedFeedback(std::int64_t total, Cursor rows, std::size_t texts)
      : total_(total), rows_(std::move(rows)), texts_(texts) {}

  std::int64_t total() const override { return total_; }

  Result<std::vector<FeedbackRow>> next() override {
    std::vector<FeedbackRow> batch;
    while (!ended_ && batch.size() < kBatch) {
      ended_ = !TRY(rows_.next());
      if (ended_) break;
      FeedbackRow& one = batch.emplace_back();
      one.feedback = feedbackAt(rows_);
      for (std::size_t i = 0; i < texts_; ++i)
        one.texts.emplace_back(rows_.text(kFeedbackColumns.size() + i));
    }
    return batch;
  }

 private:
  const std::int64_t total_;
  Cursor rows_;
  const std::size_t texts_;
  bool ended_ = false;
};

}  // namespace

/// The rows of one write.
class ClickHouseFeedbackStore::Write {
 public:
  void add(ProjectFeedback feedback) {
    remember(feedback.project_id, feedback.feedback.id);
    added_.push_back(std::move(feedback));
  }
  void remove(std::string_view project_id, std::string_view id) {
    remember(project_id, id);
    removed_.emplace_back(project_id, id);
  }

  /// Reads the versions of the known rows, so that the new ones are newer whatever the clocks of
  /// the nodes show.
  Result<void> readVersions(Client& client) {
    for (auto& [project, versions] : versions_) {
      for (auto at = versions.begin(); at != versions.end();) {
        Sql sql("SELECT r.id, max(r.version) FROM feedback AS r WHERE r.project_id = ");
        sql.param(project).add(" AND r.id IN (");
        for (std::size_t i = 0; i < kIdsAtOnce && at != versions.end(); ++i, ++at)
          sql.add(i > 0 ? SqlView(", ") : SqlView("")).param(at->first);
        sql.add(") GROUP BY r.id");
        TRY(forEachRow(client.query(sql.text, sql.params), [&known = versions](const Cursor& row) {
          const auto place = known.find(std::string(row.text(0)));
          if (place != known.end()) place->second = static_cast<std::uint64_t>(row.integer(1));
        }));
      }
    }
    return {};
  }

  /// Returns the rows in the format RowBinary. The removed feedback comes first.
  std::string rows(Timestamp now) {
    const auto next = [&](const std::string& project, const std::string& id) {
      std::uint64_t& version = versions_.at(project).at(id);
      version = std::max(static_cast<std::uint64_t>(microsOf(now)), version + 1);
      return version;
    };
    std::string rows;
    for (const auto& [project, id] : removed_) putDeletion(rows, project, id, next(project, id));
    for (const ProjectFeedback& one : added_)
      putFeedback(rows, one.project_id, one.feedback, next(one.project_id, one.feedback.id));
    return rows;
  }
  std::size_t count() const { return removed_.size() + added_.size(); }

 private:
  void remember(std::string_view project_id, std::string_view id) {
    versions_[std::string(project_id)].emplace(id, 0);
  }

  std::vector<ProjectFeedback> added_;
  std::vector<std::pair<std::string, std::string>> removed_;
  /// The greatest version by project and id.
  std::map<std::string, std::map<std::string, std::uint64_t>> versions_;
};

ClickHouseFeedbackStore::ClickHouseFeedbackStore(Client& client,
                                                 MetricRegistry& metrics,
                                                 const Clock& clock,
                                                 const clickhouse::GroupOptions& options)
    : client_(client), clock_(clock), inserts_(client, feedbackTarget(), options, metrics) {}

Result<void> ClickHouseFeedbackStore::store(Write write) {
  TRY(write.readVersions(client_));
  std::string rows = write.rows(clock_.now());
  return inserts_.insert(std::move(rows), write.count());
}

Result<void> ClickHouseFeedbackStore::add(std::vector<ProjectFeedback> feedback) {
  Write write;
  for (ProjectFeedback& one : feedback) write.add(std::move(one));
  return store(std::move(write));
}

Result<void> ClickHouseFeedbackStore::remove(std::string_view project_id,
                                             const std::vector<std::string>& ids) {
  Write write;
  for (const std::string& id : ids) write.remove(project_id, id);
  return store(std::move(write));
}

Result<void> ClickHouseFeedbackStore::replace(std::string_view removed_id,
                                              ProjectFeedback feedback) {
  Write write;
  write.remove(feedback.project_id, removed_id);
  write.add(std::move(feedback));
  return store(std::move(write));
}

Result<std::unique_ptr<FeedbackReader>> ClickHouseFeedbackStore::read(
    std::string_view project_id, std::string_view project, const FeedbackQuery& request) const {
  FeedbackPageStatements page = TRY(pageStatements(rowsOf(project_id), project, request));
  std::int64_t total = 0;
  TRY(forEachRow(run(client_, std::move(page.counting)),
                 [&total](const Cursor& row) { total = row.integer(0); }));
  Cursor rows = TRY(run(client_, std::move(page.rows)));
  return std::unique_ptr<FeedbackReader>(
      std::make_unique<StreamedFeedback>(total, std::move(rows), request.paths.size()));
}

Result<std::unordered_map<std::string, std::vector<Feedback>>> ClickHouseFeedbackStore::ofTargets(
    std::string_view project_id,
    std::string_view target_kind,
    const std::vector<std::string>& target_ids) const {
  std::unordered_map<std::string, std::vector<Feedback>> found;
  if (target_ids.empty()) return found;
  // The index of targets finds ids. Rows are found by id, because FINAL uses no such index: it
  // must also read newer rows about another target.
  Sql has_id("r.id IN (SELECT f.id FROM feedback AS f WHERE f.project_id = ");
  has_id.param(std::string(project_id)).add(" AND ");
  has_id.add(isAbout(target_kind, target_ids)).add(")");
  TRY(forEachRow(
      run(client_, targetsStatement(rowsOf(project_id, has_id), target_kind, target_ids)),
      [&found](const Cursor& row) {
        Feedback feedback = feedbackAt(row);
        std::vector<Feedback>& list = found[feedback.target_id];
        list.push_back(std::move(feedback));
      }));
  return found;
}

Result<std::vector<AggregateBucket>> ClickHouseFeedbackStore::aggregate(
    std::string_view project_id, const FeedbackAggregateQuery& query) const {
  AggregateReader reader(rowsOf(project_id), query);
  for (const AggregateReader::Part part : AggregateReader::kParts) {
    TRY(forEachRow(run(client_, reader.statement(part)),
                   [&](const Cursor& row) { reader.add(part, row); }));
  }
  return reader.finish();
}

Result<Statistics> ClickHouseFeedbackStore::statistics(std::string_view project_id,
                                                       const FeedbackStatisticsQuery& query) const {
  if (query.buckets.begins.empty()) return Statistics();
  StatisticsReader reader(rowsOf(project_id), query);
  TRY(forEachRow(run(client_, reader.bucketsStatement()),
                 [&reader](const Cursor& row) { reader.addBucket(row); }));
  if (query.metrics.empty()) return reader.finish();
  TRY(forEachRow(run(client_, reader.windowStatement()),
                 [&reader](const Cursor& row) { reader.addWindow(row); }));
  return reader.finish();
}

Result<std::vector<std::string>> ClickHouseFeedbackStore::payloads(std::string_view project_id,
                                                                   const PayloadFilter& filter,
                                                                   std::int64_t limit) const {
  return collectRows(run(client_, payloadsStatement(rowsOf(project_id), filter, limit)),
                     [](const Cursor& row) { return std::string(row.text(0)); });
}

std::unique_ptr<query::Fields> ClickHouseFeedbackStore::callFields(
    std::string_view project_id) const {
  return std::make_unique<CallFeedbackFields>(clickHouseFeedbackRows(project_id), dialect());
}

}  // namespace spindle::feedback
