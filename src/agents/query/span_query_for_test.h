#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_query_store.h"
#include "agents/query/span_stats_json.h"
#include "agents/query/span_time_for_test.h"
#include "agents/store/span_row.h"
#include "columnar/testing/store_for_test.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "query/codec.h"
#include "schema/parse.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::agents {

using Texts = std::vector<std::string>;

inline query::Query queryOf(const std::string& expression) {
  Result<query::Query> parsed =
      schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}", "body");
  EXPECT_TRUE(parsed) << expression;
  return *std::move(parsed);
}
inline std::string is(const std::string& field, const std::string& literal) {
  return R"({"$eq":[{"$getField":")" + field + R"("},{"$literal":)" + literal + "}]}";
}

inline pricing::Price price(const std::string& model, const pricing::TokenPrices& tokens) {
  pricing::Price made;
  made.llm_id = model;
  made.tokens = tokens;
  return made;
}

/// Fixture: queries of spans in a real store.
class SpanQueryTest : public ::testing::Test {
 protected:
  static AgentSpan span(const std::string& trace,
                        const std::string& id,
                        double start,
                        double took,
                        const std::string& operation = "chat") {
    AgentSpan made;
    made.trace_id = trace;
    made.span_id = id;
    made.span_name = operation + " " + id;
    made.operation_name = operation;
    made.started_at = at(start);
    made.ended_at = at(start + took);
    made.created_at = at(start);
    made.status_code = "OK";
    return made;
  }

  void write(std::vector<AgentSpan> spans) { ASSERT_TRUE(spans_.write("prj", std::move(spans))); }

  SpanQueryPorts ports() { return {spans_, feedback_, prices_}; }

  Texts list(const SpanQuery& span_query) {
    const Result<SpanList> found = listSpans(ports(), "prj", span_query);
    EXPECT_TRUE(found) << (found ? "" : found.error().message());
    Texts ids;
    if (!found) return ids;
    for (const ListedSpan& one : found->spans) ids.push_back(one.span.span_id);
    total_ = found->total;
    return ids;
  }
  Texts list(const std::string& expression) {
    SpanQuery span_query;
    span_query.filter.query = queryOf(expression);
    span_query.page.sort_by = {{"started_at", false}};
    return list(span_query);
  }
  std::string refusal(const std::string& expression) {
    SpanQuery span_query;
    span_query.filter.query = queryOf(expression);
    const Result<SpanList> found = listSpans(ports(), "prj", span_query);
    return found ? "" : found.error().message();
  }
  SpanGroups groups(const SpanQuery& span_query) {
    Result<SpanGroups> found = groupSpans(ports(), "prj", span_query);
    EXPECT_TRUE(found) << (found ? "" : found.error().message());
    return found ? *std::move(found) : SpanGroups();
  }
  static Texts firstKeys(const SpanGroups& found) {
    Texts keys;
    for (const SpanGroup& group : found.groups) {
      const auto* text = std::get_if<std::string>(&group.keys.front());
      keys.push_back(text == nullptr ? "-" : *text);
    }
    return keys;
  }
  std::string stats(SpanStatsRequest body) {
    body.start = at(0);
    if (!body.end) body.end = at(3600);
    Result<std::string> text = spanStatsJson(ports(), "prj", std::move(body), at(9999));
    return text ? *std::move(text) : text.error().message();
  }

  columnar::StoreForTest store_{
      {spanFamily(), feedback::feedbackFamily(), tracing::otelResourceFamily()}};
  ColumnarSpanStore spans_{*store_, 0, 2};
  feedback::ColumnarFeedbackStore feedback_{*store_, 1};
  const pricing::ProjectPrices prices_{{std::make_shared<const pricing::PriceTable>(
      std::vector<pricing::Price>{price("m", {1, 2, 0.5, 0.25}), price("m-1", {10, 10, 0, 0})})}};
  std::int64_t total_ = 0;
};

}  // namespace spindle::agents
