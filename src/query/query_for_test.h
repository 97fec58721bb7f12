#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "columnar/testing/store_for_test.h"
#include "query/codec.h"
#include "query/compiler.h"
#include "schema/parse.h"

namespace spindle::query {

// Functions that build the JSON of a query.
inline std::string field(const std::string& path) {
  std::string escaped;
  for (const char c : path) escaped += c == '\\' ? R"(\\)" : std::string(1, c);
  return R"({"$getField":")" + escaped + R"("})";
}
inline std::string value(const std::string& json) { return R"({"$literal":)" + json + "}"; }
inline std::string binary(const std::string& op, const std::string& a, const std::string& b) {
  return "{\"" + op + "\":[" + a + "," + b + "]}";
}
inline std::string eq(const std::string& path, const std::string& json) {
  return binary("$eq", field(path), value(json));
}
inline std::string negated(const std::string& operand) { return R"({"$not":[)" + operand + "]}"; }
inline std::string convert(const std::string& operand, const std::string& to) {
  return R"({"$convert":{"input":)" + operand + R"(,"to":")" + to + R"("}})";
}
inline std::string size(const std::string& operand) { return R"({"$size":)" + operand + "}"; }
inline std::string contains(const std::string& input,
                            const std::string& needle,
                            bool case_insensitive = false) {
  return R"({"$contains":{"input":)" + input + R"(,"substr":)" + needle +
         (case_insensitive ? R"(,"case_insensitive":true}})" : "}}");
}
inline std::string in(const std::string& tested, const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? "" : ",") + item;
  return R"({"$in":[)" + tested + ",[" + list + "]]}";
}

/// The fields of a table of calls: rows `c` and related rows `f`.
class CallFieldsForTest final : public Fields {
 public:
  explicit CallFieldsForTest(SqlText other_rows) : other_rows_(std::move(other_rows)) {}

  Result<Field> resolve(std::string_view path) const override {
    if (path.starts_with("feedback.[")) return feedback(path.substr(10));
    std::vector<std::string> parts = TRY(splitPath(path));
    const std::string column = parts.front();
    parts.erase(parts.begin());
    const std::optional<SqlText> name = SqlText::identifier(column);
    if (!name) return Error(ErrorCode::kUnprocessable, "not a field");
    Field result;
    result.sql = Sql("c." + *name);
    if (column == "inputs" || column == "output") {
      result.kind = FieldKind::kJson;
      result.path = std::move(parts);
      return result;
    }
    if (column == "id" || column == "parent_id") return result;
    if (column == "ended_at") result.kind = FieldKind::kTime;
    if (column == "step") result.kind = FieldKind::kInteger;
    if (column == "score") result.kind = FieldKind::kReal;
    if (column == "good") result.kind = FieldKind::kBoolean;
    if (column == "refs") result.kind = FieldKind::kTexts;
    if (result.kind != FieldKind::kText) return result;
    return Error(ErrorCode::kUnprocessable, "Field " + std::string(path) + " is not allowed.");
  }

 private:
  Result<Field> feedback(std::string_view rest) const {
    const std::size_t close = rest.find(']');
    const std::string_view type = rest.substr(0, close);
    std::vector<std::string> parts = TRY(splitPath(rest.substr(close + 2)));
    Field result;
    RelatedRows rows;
    rows.from = Sql(other_rows_ + " AS f");
    rows.condition = Sql("TRUE");
    rows.key = SqlText("f.call_id");
    rows.owner = SqlText("c.id");
    if (type == "*") {
      rows.skip_empty = true;
    } else {
      rows.condition.add(" AND f.type = ").param(std::string(type));
    }
    rows.newest = SqlText("f.created_at");
    result.rows = std::move(rows);
    const std::optional<SqlText> name = SqlText::identifier(parts.front());
    if (!name) return Error(ErrorCode::kUnprocessable, "not a field");
    result.sql = Sql("f." + *name);
    if (parts.front() == "payload") {
      result.kind = FieldKind::kJson;
      result.path.assign(parts.begin() + 1, parts.end());
    }
    return result;
  }

  SqlText other_rows_;
};

/// Fixture: a store with calls and their feedback, queried through the compiler.
class QueryStoreFixture : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }

  struct CallRow {
    std::string id;
    std::string inputs = "{}";
    columnar::Value output = {};
    columnar::Value parent_id = {};
    columnar::Value ended_at = {};
    columnar::Value step = {};
    columnar::Value score = {};
    columnar::Value good = {};
    columnar::Value refs = {};
  };
  void add(const CallRow& call) {
    write(0, {call.id, call.parent_id, clock_.now(), call.ended_at, call.step, call.score,
              call.good, call.refs, call.inputs, call.output});
  }
  void addFeedback(const std::string& call_id,
                   const std::string& type,
                   const std::string& payload,
                   columnar::Value runnable_ref = {}) {
    clock_.advance(std::chrono::seconds(1));
    write(1, {std::to_string(++feedback_count_), call_id, type, clock_.now(), payload,
              std::move(runnable_ref)});
  }

  /// Returns the ids of the matching calls, in order, as `1,3`; or `<code>: <message>`.
  std::string matches(const std::string& expression, const std::vector<SortKey>& sort = {{"id"}}) {
    const Result<Query> query = schema::parse(queryCodec(), R"({"$expr":)" + expression + "}");
    if (!query) return "no query: " + expression;
    Result<columnar::Snapshot> snapshot = store_->snapshot();
    if (!snapshot) return "no snapshot";
    const CallFieldsForTest fields(snapshot->from(1, "p"));
    const Result<Sql> condition = compileCondition(*query, fields);
    if (!condition) return failure(condition.error());
    return run(*snapshot, *condition, sort, fields);
  }
  std::string sorted(const std::vector<SortKey>& sort) {
    Result<columnar::Snapshot> snapshot = store_->snapshot();
    if (!snapshot) return "no snapshot";
    return run(*snapshot, Sql("TRUE"), sort, CallFieldsForTest(snapshot->from(1, "p")));
  }

  /// Returns the ids of all calls, read in pages of one call, each after the position of the last.
  std::string paged(const std::vector<SortKey>& sort) {
    Result<columnar::Snapshot> snapshot = store_->snapshot();
    if (!snapshot) return "no snapshot";
    const CallFieldsForTest fields(snapshot->from(1, "p"));
    const Result<std::vector<SortColumn>> columns = compileSortColumns(sort, fields);
    if (!columns) return failure(columns.error());
    std::string ids;
    std::optional<Position> position;
    do {
      Sql sql("SELECT * FROM (SELECT c.id");
      sql.add(sortValues(*columns)).add(" FROM " + snapshot->from(0, "p") + " AS c)");
      if (position) sql.add(" WHERE ").add(*isAfter(*position, *columns));
      sql.add(" ORDER BY " + sortOrder(*columns) + " LIMIT 1");
      position.reset();
      const Result<void> read =
          forEachRow(snapshot->query(sql.text, sql.params), [&](const columnar::Cursor& row) {
            ids += (ids.empty() ? "" : ",") + std::string(row.text(0));
            position = parsePosition(positionText(positionAt(row, 1, *columns)));
          });
      if (!read) return "failed: " + sql.text.text();
    } while (position && ids.size() < 100);
    return ids;
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};

 private:
  class Put final : public columnar::Change {
   public:
    Put(columnar::FamilyId family, columnar::Row row) : family_(family), row_(std::move(row)) {}
    Result<void> plan(columnar::Plan& plan) override {
      plan.put(family_, "p", row_);
      return {};
    }

   private:
    columnar::FamilyId family_;
    columnar::Row row_;
  };

  void write(columnar::FamilyId family, columnar::Row row) {
    Put put(family, std::move(row));
    ASSERT_TRUE(store_->write(put, 1000));
  }

  static std::string failure(const Error& error) {
    switch (error.code()) {
      case ErrorCode::kInvalidArgument:
        return "400: " + error.message();
      case ErrorCode::kPermissionDenied:
        return "403: " + error.message();
      case ErrorCode::kUnprocessable:
        return "422: " + error.message();
      default:
        return "?: " + error.message();
    }
  }

  static std::string run(columnar::Snapshot& snapshot,
                         const Sql& condition,
                         const std::vector<SortKey>& sort,
                         const Fields& fields) {
    const Result<Sql> order = compileSort(sort, fields);
    if (!order) return failure(order.error());
    Sql sql("SELECT c.id FROM " + snapshot.from(0, "p") + " AS c WHERE ");
    sql.add(condition).add(" ORDER BY ").add(*order);
    Result<columnar::Cursor> rows = snapshot.query(sql.text, sql.params);
    if (!rows) return "failed: " + sql.text.text();
    std::string ids;
    for (Result<bool> more = rows->next(); more && *more; more = rows->next()) {
      ids += (ids.empty() ? "" : ",") + std::string(rows->text(0));
    }
    return ids;
  }

  static std::vector<columnar::Family> families() {
    using columnar::ColumnType;
    return {{"calls",
             {{"id", ColumnType::kText},
              {"parent_id", ColumnType::kText},
              {"started_at", ColumnType::kTime},
              {"ended_at", ColumnType::kTime},
              {"step", ColumnType::kInteger},
              {"score", ColumnType::kReal},
              {"good", ColumnType::kBoolean},
              {"refs", ColumnType::kTexts},
              {"inputs", ColumnType::kText},
              {"output", ColumnType::kText}},
             0,
             2},
            {"marks",
             {{"id", ColumnType::kText},
              {"call_id", ColumnType::kText},
              {"type", ColumnType::kText},
              {"created_at", ColumnType::kTime},
              {"payload", ColumnType::kText},
              {"runnable_ref", ColumnType::kText}},
             0,
             3}};
  }

  columnar::StoreForTest store_{families()};
  int feedback_count_ = 0;
};

}  // namespace spindle::query
