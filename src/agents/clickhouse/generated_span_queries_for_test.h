#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "agents/query/span_query_for_test.h"
#include "agents/query/span_stats_json.h"
#include "agents/store/span_query.h"

namespace spindle::agents {

/// Generates spans and queries of them from a seed, the same ones on every machine. Starts differ,
/// and numbers and prices are exact in binary, so that sums do not depend on their order.
class GeneratedSpanQueries : protected SpansForTest {
 public:
  explicit GeneratedSpanQueries(std::uint32_t seed) : random_(seed) {}

  std::vector<AgentSpan> spans(int count) {
    std::vector<AgentSpan> made;
    made.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) made.push_back(one(i));
    return made;
  }

  SpanFilter filter() {
    SpanFilter made;
    if (chance(80)) made.query = queryOf(condition(2));
    if (chance(25)) made.started_after = at(below(400));
    if (chance(25)) made.started_before = at(200 + below(600));
    return made;
  }

  SpanQuery list() {
    SpanQuery made;
    made.filter = filter();
    const int keys = below(3);
    for (int i = 0; i < keys; ++i) made.page.sort_by.push_back({pick(kSorted), chance(50)});
    made.page.limit = chance(15) ? 0 : 1 + below(40);
    made.page.offset = chance(60) ? 0 : below(20);
    made.costs = chance(50);
    made.details = chance(30);
    made.custom_columns = {{"custom_attrs_string", "team"}, {"custom_attrs_int", "tries"}};
    return made;
  }

  SpanQuery groups() {
    SpanQuery made;
    made.filter = filter();
    made.group_by = groupBy(1 + below(2));
    made.measures = measures();
    if (chance(30) && !made.measures.empty()) made.group_filters = {bounds(made.measures.front())};
    if (chance(50)) made.page.sort_by = {{chance(50) ? "span_count" : "last_seen", chance(50)}};
    made.page.limit = 1 + below(20);
    made.page.offset = chance(70) ? 0 : below(5);
    made.costs = chance(50);
    if (chance(30) && made.group_by.size() == 1) {
      made.distributions = {{"d0", {"custom_attrs_float", "score"}, 1 + below(8), 5},
                            {"d1", {"custom_attrs_string", "team"}, 12, 1 + below(3)},
                            {"d2", {"custom_attrs_bool", "good"}, 12, 2}};
    }
    return made;
  }

  SpanStatsRequest stats() {
    SpanStatsRequest made;
    made.start = at(below(100));
    made.end = at(500 + below(600));
    made.granularity = 60 * (1 + below(5));
    if (chance(40)) made.query = queryOf(condition(1));
    if (chance(60)) made.group_by = groupBy(1);
    const int metrics = 1 + below(3);
    for (int i = 0; i < metrics; ++i) {
      StatsMetric metric;
      metric.alias = "m" + std::to_string(i);
      const auto& [value, type] =
          kValues[static_cast<std::size_t>(below(static_cast<int>(kValues.size())))];
      metric.value = value;
      metric.value_type = type;
      if (chance(70)) metric.aggregations = {aggregationOf(type)};
      if (type == ValueType::kNumber && chance(40)) metric.percentiles = {50, 75};
      made.metrics.push_back(std::move(metric));
    }
    if (chance(40)) {
      made.numeric = NumericBuckets{};
      made.numeric->bins = 1 + below(6);
      if (chance(50)) {
        made.numeric->value = ValueRef{"custom_attrs_float", "score"};
      } else {
        made.numeric->group_by = {{"field", "trace_id", {}}};
        made.numeric->measure = Measure{"n", SpanAggregation::kCount};
        made.metrics.clear();
      }
      made.group_by.clear();
    }
    if (chance(30)) made.group_filters = {bounds({"n", SpanAggregation::kCount})};
    return made;
  }

  MessageSearchQuery search() {
    MessageSearchQuery made;
    if (chance(80)) made.text = pick(kTexts);
    made.case_insensitive = chance(50);
    if (chance(20)) made.trace_id = "t" + std::to_string(below(12));
    if (chance(30)) made.roles = Texts{pick(kRoles)};
    if (chance(20)) made.conversation_id = "c" + std::to_string(below(4));
    if (chance(20)) made.agent_name = pick(kAgents);
    if (chance(20)) made.started_after = at(below(400));
    made.limit = 1 + below(15);
    made.offset = chance(70) ? 0 : below(5);
    return made;
  }

  AgentQuery agents() {
    AgentQuery made;
    made.versions = chance(40);
    made.costs = chance(50);
    if (chance(20)) made.agent_name = pick(kAgents);
    if (chance(60)) made.page.sort_by = {{pick(kAgentOrders), chance(50)}};
    return made;
  }

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  struct TypedValue {
    ValueRef value;
    ValueType type;
  };

  AgentSpan one(int number) {
    AgentSpan made = span("t" + std::to_string(below(12)), "s" + std::to_string(1000 + number),
                          number * 7 + below(5), below(9) * 0.25, pick(kOperations));
    if (chance(15)) made.ended_at.reset();
    if (chance(5)) made.ended_at = made.started_at - std::chrono::milliseconds(1500);
    if (chance(60)) made.parent_span_id = "s" + std::to_string(1000 + below(number + 1));
    made.status_code = pick(kStatus);
    made.agent_name = chance(50) ? "" : pick(kAgents);
    if (!made.agent_name.empty()) made.agent_version = std::to_string(below(2));
    if (chance(40)) made.conversation_id = "c" + std::to_string(below(4));
    if (chance(30)) made.conversation_name = "Name " + std::to_string(below(3));
    made.provider_name = chance(30) ? "openai" : "";
    made.request_model = pick(kModels);
    if (chance(50)) made.response_model = pick(kModels);
    setTokens(made, {.input = below(50),
                     .output = below(30),
                     .reasoning = below(5),
                     .cache_creation = below(3),
                     .cache_read = below(3)});
    made.request_temperature = below(8) * 0.125;
    if (chance(20)) made.eval_trial_index = below(3);
    if (chance(50)) made.custom.strings["team"] = pick(kTexts);
    if (chance(20)) made.custom.strings["0"] = "zero";
    if (chance(50)) made.custom.integers["tries"] = below(6) - 2;
    if (chance(5)) made.custom.integers["big"] = 9'007'199'254'740'993;
    if (chance(50)) made.custom.reals["score"] = below(16) * 0.25 - 1;
    if (chance(50)) made.custom.booleans["good"] = chance(50);
    if (chance(50)) made.input_messages = {{"user", pick(kTexts), ""}, {"system", "rules", ""}};
    if (chance(50)) made.output_messages = {{"assistant", pick(kTexts), "stop"}};
    if (chance(20)) made.system_instructions = {"Be kind.", pick(kTexts)};
    if (chance(20)) made.tool_call_arguments = R"({"city": "Oslo"})";
    if (chance(20)) made.tool_call_result = pick(kTexts);
    if (chance(30)) made.finish_reasons = {"stop", "length"};
    made.raw_span_dump = R"({"n":)" + std::to_string(number) + "}";
    return made;
  }

  std::string condition(int depth) {
    if (depth > 0 && chance(45)) {
      const std::string left = condition(depth - 1);
      const int kind = below(3);
      if (kind == 0) return R"({"$not":[)" + left + "]}";
      const std::string right = condition(depth - 1);
      return (kind == 1 ? R"({"$and":[)" : R"({"$or":[)") + left + "," + right + "]}";
    }
    switch (below(5)) {
      case 0:
        return operation(pick(kOrders), field(pick(kNumbers)), literal(pick(kNumberLiterals)));
      case 1:
        return operation("$eq", field(pick(kTextFields)), literal(pick(kTextLiterals)));
      case 2:
        return R"({"$contains":{"input":)" + field(pick(kTextFields)) + R"(,"substr":)" +
               literal(R"("e")") + R"(,"case_insensitive":)" + (chance(50) ? "true" : "false") +
               "}}";
      case 3:
        return operation("$in", field(pick(kTextFields)),
                         "[" + literal(pick(kTextLiterals)) + "," + literal(R"("OK")") + "]");
      default:
        return operation("$eq", field(pick(kNullable)), literal("null"));
    }
  }
  static std::string field(const std::string& name) { return R"({"$getField":")" + name + R"("})"; }
  static std::string literal(const std::string& json) { return R"({"$literal":)" + json + "}"; }
  static std::string operation(const std::string& op, const std::string& a, const std::string& b) {
    return "{\"" + op + "\":[" + a + "," + b + "]}";
  }

  std::vector<GroupBy> groupBy(int count) {
    static const std::vector<GroupBy> kGroups = {
        {"field", "trace_id", {}},           {"column", "conversation_id", {}},
        {"field", "agent_name", {}},         {"field", "status_code", {}},
        {"field", "request_model", "model"}, {"custom_attrs_string", "team", {}},
        {"custom_attrs_int", "tries", {}},   {"custom_attrs_bool", "good", {}}};
    std::vector<GroupBy> made;
    const int first = below(static_cast<int>(kGroups.size()));
    for (int i = 0; i < count; ++i)
      made.push_back(kGroups[static_cast<std::size_t>(first + i) % kGroups.size()]);
    return made;
  }

  SpanAggregation aggregationOf(ValueType type) {
    switch (type) {
      case ValueType::kNumber:
        return pick(std::vector{SpanAggregation::kSum, SpanAggregation::kAvg, SpanAggregation::kMin,
                                SpanAggregation::kMax, SpanAggregation::kCount,
                                SpanAggregation::kCountDistinct});
      case ValueType::kBoolean:
        return pick(std::vector{SpanAggregation::kCountTrue, SpanAggregation::kCountFalse});
      case ValueType::kString:
        return pick(std::vector{SpanAggregation::kCount, SpanAggregation::kCountDistinct});
      case ValueType::kDateTime:
        return pick(std::vector{SpanAggregation::kMin, SpanAggregation::kMax});
    }
    return SpanAggregation::kCount;
  }

  std::vector<Measure> measures() {
    std::vector<Measure> made;
    const int count = below(4);
    for (int i = 0; i < count; ++i) {
      const TypedValue& value =
          kValues[static_cast<std::size_t>(below(static_cast<int>(kValues.size())))];
      Measure measure{"m" + std::to_string(i), aggregationOf(value.type), value.value};
      if (chance(40)) measure.filter = queryOf(condition(1));
      made.push_back(std::move(measure));
    }
    return made;
  }

  GroupFilter bounds(const Measure& measure) {
    GroupFilter made;
    made.measure = measure;
    made.min = static_cast<double>(below(4));
    if (chance(50)) made.max = 5.0 + below(40);
    return made;
  }

  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[random_() % list.size()];
  }

  inline static const Texts kOperations = {"chat", "invoke_agent", "execute_tool"};
  inline static const Texts kStatus = {"OK", "ERROR", "UNSET"};
  inline static const Texts kAgents = {"bot", "lead", "helper"};
  inline static const Texts kModels = {"m", "m-1", "unpriced", ""};
  inline static const Texts kRoles = {"user", "assistant", "system", "tool", "tool_result"};
  inline static const Texts kTexts = {
      "hello", "Grüße \"an\" 100%", "red", "ÄÖ\nx\t\\", "e{1}_%'", "[1,2]", "7", "true"};
  inline static const Texts kOrders = {"$gt", "$gte", "$lt", "$lte", "$eq"};
  inline static const Texts kNumbers = {"input_tokens",
                                        "total_tokens",
                                        "duration_ms",
                                        "eval_trial_index",
                                        "request_temperature",
                                        "custom_attrs_int.tries",
                                        "custom_attrs_int.big",
                                        "custom_attrs_float.score",
                                        "tries",
                                        "score"};
  inline static const Texts kNumberLiterals = {
      "1", "0.5", "10", "-1", "250", "2.75", "9007199254740993"};
  inline static const Texts kTextFields = {
      "agent_name",           "agent.version", "conversation_id", "conversation_name",
      "status_code",          "span_name",     "request_model",   "custom_attrs_string.team",
      "custom_attrs_string.0"};
  inline static const Texts kTextLiterals = {R"("bot")", R"("c1")",   R"("red")",   R"("")",
                                             R"("0")",   R"("zero")", R"("ERROR")", R"("m")"};
  inline static const Texts kNullable = {
      "eval_trial_index",       "ended_at",  "duration_ms", "custom_attrs_string.team",
      "custom_attrs_bool.good", "agent_name"};
  inline static const Texts kSorted = {"started_at",
                                       "ended_at",
                                       "input_tokens",
                                       "duration_ms",
                                       "total_tokens",
                                       "agent_name",
                                       "status_code",
                                       "eval_trial_index",
                                       "custom_attrs_string.team",
                                       "conversation_id",
                                       "custom_attrs_int.tries"};
  inline static const Texts kAgentOrders = {"last_seen",  "first_seen",         "invocation_count",
                                            "span_count", "total_input_tokens", "error_count"};
  inline static const std::vector<TypedValue> kValues = {
      {{"field", "input_tokens"}, ValueType::kNumber},
      {{"field", "span_id"}, ValueType::kString},
      {{"field", "agent_name"}, ValueType::kString},
      {{"field", "started_at"}, ValueType::kDateTime},
      {{"derived", "duration_ms"}, ValueType::kNumber},
      {{"derived", "total_tokens"}, ValueType::kNumber},
      {{"derived", "is_error"}, ValueType::kBoolean},
      {{"derived", "total_cost_usd"}, ValueType::kNumber},
      {{"custom_attrs_int", "tries"}, ValueType::kNumber},
      {{"custom_attrs_float", "score"}, ValueType::kNumber},
      {{"custom_attrs_bool", "good"}, ValueType::kBoolean},
      {{"custom_attrs_string", "team"}, ValueType::kString}};

  std::mt19937 random_;
};

}  // namespace spindle::agents
