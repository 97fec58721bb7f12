#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "feedback/clickhouse/clickhouse_feedback_store.h"
#include "feedback/clickhouse/feedback_table.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "tracing/clickhouse/clickhouse_calls_for_test.h"
#include "tracing/store/call_row.h"
#include "tracing/store/call_time_for_test.h"
#include "tracing/store/columnar_call_store.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::tracing {

/// The values of references that end with an even digit.
class SomeRefValuesForTest final : public RefValues {
 public:
  Result<std::vector<std::optional<std::string>>> valuesOf(
      std::string_view /*project_id*/, const std::vector<std::string>& refs) override {
    std::vector<std::optional<std::string>> values;
    for (const std::string& ref : refs) {
      const int digit = ref.back() - '0';
      values.emplace_back();
      if (digit % 2 == 0) {
        values.back() = R"({"size":)" + std::to_string(digit) + R"(,"name":"object )" +
                        std::to_string(digit) + R"("})";
      }
    }
    return values;
  }
};

/// A field `annotation_queue_items.queue_id` of calls `c`: some calls are in one or two queues.
class QueueFieldsForTest final : public query::Fields {
 public:
  explicit QueueFieldsForTest(const query::Dialect& dialect) : dialect_(dialect) {}

  Result<query::Field> resolve(std::string_view /*path*/) const override {
    const std::vector<std::string> calls = {"call101", "call102", "call102", "call130", "gone"};
    const std::vector<std::string> queues = {"queue1", "queue1", "queue2", "queue2", "queue1"};
    query::Field field;
    field.sql = query::Sql("f.queue_id");
    query::RelatedRows rows;
    rows.from =
        dialect_.tableOf({{"call_id", query::FieldKind::kText, query::Sql().param(calls)},
                          {"queue_id", query::FieldKind::kText, query::Sql().param(queues)}});
    rows.from.add(" AS f");
    rows.condition = query::Sql("TRUE");
    rows.key = SqlText("f.call_id");
    rows.owner = SqlText("c.id");
    rows.newest = SqlText("f.queue_id");
    field.rows = std::move(rows);
    return field;
  }
  const query::Dialect& dialect() const override { return dialect_; }

 private:
  const query::Dialect& dialect_;
};

/// The same calls and feedback in ClickHouse and in the embedded store.
class TwoStoresForTest {
 public:
  TwoStoresForTest() {
    const clickhouse::TableOptions tables;
    const Result<void> migrated =
        clickhouse::migrate(database_.client(), tables,
                            {callTables(tables), feedback::feedbackTables(tables)}, clock_.now());
    EXPECT_TRUE(migrated) << migrated.error().message();
  }

  void write(const std::vector<CallPart>& parts) {
    ASSERT_TRUE(clickhouse_.write("prj", parts));
    ASSERT_TRUE(embedded_.write("prj", parts));
  }

  void write(const std::vector<feedback::ProjectFeedback>& feedback) {
    ASSERT_TRUE(clickhouse_feedback_.add(feedback));
    ASSERT_TRUE(embedded_feedback_.add(feedback));
  }

  /// Return the ids of a query in order, or its error.
  std::vector<std::string> embeddedIds(const CallQuery& selection, const CallPage& page) {
    return idsOf(embedded_, selection, page);
  }
  std::vector<std::string> clickHouseIds(const CallQuery& selection, const CallPage& page) {
    return idsOf(clickhouse_, selection, page);
  }
  CallStore& embedded() { return embedded_; }
  CallStore& clickHouse() { return clickhouse_; }

 private:
  static std::vector<std::string> idsOf(CallStore& store,
                                        const CallQuery& selection,
                                        const CallPage& page) {
    Result<std::unique_ptr<CallView>> view = store.view({"prj", "team/app"});
    if (!view) return {view.error().message()};
    Result<std::unique_ptr<CallReader>> reader = (*view)->read(selection, page, {CallColumn::kId});
    if (!reader) return {reader.error().message()};
    std::vector<std::string> ids;
    while (true) {
      const Result<std::vector<Call>> batch = (*reader)->next();
      if (!batch) return {batch.error().message()};
      if (batch->empty()) return ids;
      for (const Call& call : *batch) ids.push_back(call.id);
    }
  }

  clickhouse::DatabaseForTest database_;
  columnar::StoreForTest columnar_{
      {callFamily(), otelResourceFamily(), feedback::feedbackFamily()}};
  SystemClock clock_;
  MetricRegistry metrics_;
  ProcessCallLocks locks_;
  SomeRefValuesForTest values_;
  feedback::ClickHouseFeedbackStore clickhouse_feedback_{database_.client(), metrics_, clock_,
                                                         quickGroups()};
  feedback::ColumnarFeedbackStore embedded_feedback_{*columnar_, 2};
  ClickHouseCallStore clickhouse_{
      database_.client(),
      locks_,
      {.ref_values = values_,
       .feedback_fields =
           [this](std::string_view project) { return clickhouse_feedback_.callFields(project); },
       .queue_fields = [](std::string_view /*project*/) -> Result<std::unique_ptr<query::Fields>> {
         return std::unique_ptr<query::Fields>(
             std::make_unique<QueueFieldsForTest>(query::clickHouseDialect()));
       }},
      clock_,
      metrics_,
      quickGroups()};
  ColumnarCallStore embedded_{
      *columnar_, 0, 1,
      CallJoins{.ref_values = values_,
                .feedback_fields =
                    [this](const columnar::Snapshot& snapshot, std::string_view project) {
                      return embedded_feedback_.callFields(snapshot, project);
                    },
                .queue_fields =
                    [](std::string_view /*project*/) -> Result<std::unique_ptr<query::Fields>> {
                  return std::unique_ptr<query::Fields>(
                      std::make_unique<QueueFieldsForTest>(query::duckDbDialect()));
                }}};
};

}  // namespace spindle::tracing
