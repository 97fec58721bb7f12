#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/query/span_time_for_test.h"
#include "agents/store/span.h"
#include "query/codec.h"
#include "schema/parse.h"

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

/// Makes and names the spans of tests; a base of fixtures.
struct SpansForTest {
  /// Returns a span that starts `start` seconds after at(0) and takes `took` seconds.
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
  /// Returns a span that invokes an agent.
  static AgentSpan agentSpan(const std::string& trace,
                             const std::string& id,
                             double start,
                             double took,
                             const std::string& agent,
                             const std::string& version = "") {
    AgentSpan made = span(trace, id, start, took, "invoke_agent");
    made.agent_name = agent;
    made.agent_version = version;
    return made;
  }
  struct Tokens {
    std::int64_t input = 0;
    std::int64_t output = 0;
    std::int64_t reasoning = 0;
    std::int64_t cache_creation = 0;
    std::int64_t cache_read = 0;
  };
  static void setTokens(AgentSpan& span, const Tokens& tokens) {
    span.input_tokens = tokens.input;
    span.output_tokens = tokens.output;
    span.reasoning_tokens = tokens.reasoning;
    span.cache_creation_input_tokens = tokens.cache_creation;
    span.cache_read_input_tokens = tokens.cache_read;
  }
  /// Returns the ids of spans or turns.
  template <class Span>
  static Texts idsOf(const std::vector<Span>& spans) {
    Texts ids;
    for (const Span& one : spans) ids.push_back(one.span_id);
    return ids;
  }
};

}  // namespace spindle::agents
