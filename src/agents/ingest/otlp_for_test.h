#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/ingest/span_to_row.h"
#include "otlp/json_text.h"
#include "otlp/span_tree.h"

namespace spindle::agents {

/// Attributes: their keys and their values as JSON texts.
using Attributes = std::vector<std::pair<std::string_view, std::string_view>>;

/// A span with attributes from JSON texts, as a tree. Owns the data that the tree refers to.
class SpanForTest {
 public:
  explicit SpanForTest(std::string_view name, const Attributes& attributes = {}) {
    span.trace_id = "0123456789abcdef";
    span.span_id = "01234567";
    span.name = name;
    span.start_time_unix_nano = 1'700'000'000'000'000'000;
    span.end_time_unix_nano = 1'700'000'001'500'000'000;
    for (const auto& [key, json] : attributes) add(key, json);
  }

  void add(std::string_view key, std::string_view json) {
    span.attributes.push_back({key, valueOf(json)});
  }
  otlp::Event& addEvent(std::string_view name, const Attributes& attributes) {
    otlp::Event& event = span.events.emplace_back();
    event.name = name;
    for (const auto& [key, json] : attributes) event.attributes.push_back({key, valueOf(json)});
    return event;
  }

  otlp::SpanTree tree() {
    Result<otlp::SpanTree> made = otlp::treeOf(span, texts);
    EXPECT_TRUE(made) << made.error().message();
    return *std::move(made);
  }

  otlp::TextArena texts;
  otlp::Span span;

 private:
  otlp::Value valueOf(std::string_view json) {
    std::optional<otlp::Value> value = otlp::parseJson(texts.keep(std::string(json)), texts);
    EXPECT_TRUE(value) << json;
    return value ? *std::move(value) : otlp::Value();
  }
};

/// Converts the span to a row; the test fails if it is rejected.
inline AgentSpan rowFrom(SpanForTest& span) {
  Result<AgentSpan> row = rowOf(span.tree());
  EXPECT_TRUE(row);
  return row ? *std::move(row) : AgentSpan{};
}

/// Returns the row of a span with these attributes. A span that is not a root has a parent.
inline AgentSpan rowFrom(std::string_view name, const Attributes& attributes, bool root = true) {
  SpanForTest span(name, attributes);
  if (!root) span.span.parent_span_id = "parent!!";
  return rowFrom(span);
}

}  // namespace spindle::agents
