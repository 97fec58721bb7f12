#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_query_for_test.h"
#include "agents/query/span_stats_json.h"
#include "agents/store/span_store.h"
#include "feedback/feedback_store.h"
#include "pricing/project_prices.h"

namespace spindle::agents {

/// An empty span store, and the feedback store that its queries read.
class SpanStoreUnderTest {
 public:
  virtual ~SpanStoreUnderTest() = default;
  virtual SpanStore& spans() = 0;
  virtual feedback::FeedbackStore& feedback() = 0;
  /// Moves recent writes to their final place, so that tests can read before and after it. A store
  /// without such a step does nothing.
  virtual Result<void> flush() = 0;
};
using MakeSpanStore = std::unique_ptr<SpanStoreUnderTest> (*)();

/// Fixture: the behaviour that every SpanStore must have. The parameter makes the store. The cases
/// are in the files `*_contract_for_test.h`.
class SpanStoreContract : public ::testing::TestWithParam<MakeSpanStore>, protected SpansForTest {
 protected:
  void write(std::vector<AgentSpan> spans, const std::string& project = "prj") {
    ASSERT_TRUE(spans_.write(project, std::move(spans)));
  }
  std::vector<AgentSpan> trace(const std::string& id, const std::string& project = "prj") {
    Result<std::vector<AgentSpan>> spans = spans_.readTrace(project, id);
    EXPECT_TRUE(spans);
    return *std::move(spans);
  }

  Texts list(const SpanQuery& span_query) {
    const Result<SpanList> found = spans_.listSpans("prj", span_query, prices_);
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
    const Result<SpanList> found = spans_.listSpans("prj", span_query, prices_);
    return found ? "" : found.error().message();
  }
  SpanGroups groups(const SpanQuery& span_query) {
    Result<SpanGroups> found = spans_.groupSpans("prj", span_query, prices_);
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
    const Result<SpanStatsReply> reply =
        computeSpanStats(spans_, prices_, "prj", std::move(body), at(9999));
    return reply ? spanStatsCodec().toJson(*reply) : reply.error().message();
  }
  static pricing::Price price(const std::string& model, const pricing::TokenPrices& tokens) {
    pricing::Price made;
    made.llm_id = model;
    made.tokens = tokens;
    return made;
  }

  const std::unique_ptr<SpanStoreUnderTest> tested_ = GetParam()();
  SpanStore& spans_ = tested_->spans();
  const pricing::ProjectPrices prices_{{std::make_shared<const pricing::PriceTable>(
      std::vector<pricing::Price>{price("m", {1, 2, 0.5, 0.25}), price("m-1", {10, 10, 0, 0})})}};
  std::int64_t total_ = 0;
};

}  // namespace spindle::agents
