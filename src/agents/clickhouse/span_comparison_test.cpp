// Tests that generated queries give the same rows in ClickHouse and in the embedded store.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agents/clickhouse/clickhouse_spans_for_test.h"
#include "agents/clickhouse/generated_span_queries_for_test.h"
#include "agents/columnar/columnar_spans_for_test.h"
#include "agents/query/search_json.h"
#include "agents/query/span_view_json.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

constexpr int kSpans = 120;
constexpr int kQueries = 40;  ///< of each kind

/// Returns the number of queries of each kind: that of SPINDLE_TEST_QUERIES, if it is set.
int queries() {
  const char* const text = std::getenv("SPINDLE_TEST_QUERIES");  // NOLINT(concurrency-mt-unsafe)
  int count = kQueries;
  if (text != nullptr) {
    const std::string_view digits(text);
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
  }
  return count;
}

class SpanComparison : public ::testing::Test, protected SpansForTest {
 protected:
  void SetUp() override {
    if (!clickhouse::DatabaseForTest::isAvailable())
      GTEST_SKIP() << "SPINDLE_TEST_CLICKHOUSE is not set";
    clickhouse_ = std::make_unique<ClickHouseSpansForTest>();
    for (SpanStore* store : {static_cast<SpanStore*>(&clickhouse_->spans()),
                             static_cast<SpanStore*>(&columnar_.spans())}) {
      GeneratedSpanQueries generated(kSeed);
      // Some spans are sent twice, and most of them in several requests.
      std::vector<AgentSpan> spans = generated.spans(kSpans);
      std::vector<AgentSpan> again(spans.begin(), spans.begin() + 20);
      for (AgentSpan& one : again) one.input_tokens += 1;
      ASSERT_TRUE(store->write("prj", std::vector(spans.begin(), spans.begin() + 70)));
      ASSERT_TRUE(store->write("prj", std::vector(spans.begin() + 70, spans.end())));
      ASSERT_TRUE(store->write("prj", std::move(again)));
      ASSERT_TRUE(store->write("other", {span("t1", "s1000", 1, 1)}));
    }
  }

  /// Runs a read on both stores and compares what it returns as text.
  void compare(const std::function<std::string(const SpanStore&)>& read, const std::string& shown) {
    const std::string expected = read(columnar_.spans());
    const std::string found = read(clickhouse_->spans());
    EXPECT_EQ(found, expected) << shown;
    if (found != expected) ++differences_;
  }
  bool tooMany() const { return differences_ > 3; }

  template <class T, class Show>
  static std::string shown(const Result<T>& result, Show show) {
    return result ? show(*result) : "error: " + std::string(result.error().message());
  }

  static pricing::Price price(const std::string& model, const pricing::TokenPrices& tokens) {
    pricing::Price made;
    made.llm_id = model;
    made.tokens = tokens;
    return made;
  }

  static constexpr std::uint32_t kSeed = 20'240'911;
  std::unique_ptr<ClickHouseSpansForTest> clickhouse_;
  ColumnarSpansForTest columnar_;
  const pricing::ProjectPrices prices_{{std::make_shared<const pricing::PriceTable>(
      std::vector<pricing::Price>{price("m", {1, 2, 0.5, 0.25}), price("m-1", {10, 10, 0, 0})})}};
  int differences_ = 0;
};

TEST_F(SpanComparison, ListsAreTheSame) {
  GeneratedSpanQueries generated(kSeed + 1);
  for (int i = 0; i < queries() && !tooMany(); ++i) {
    const SpanQuery query = generated.list();
    compare(
        [&](const SpanStore& store) {
          return shown(store.listSpans("prj", query, prices_), [&](const SpanList& list) {
            return spanListJson(list, query, "e/p", wire::Spelling::kNeutral) + " of " +
                   std::to_string(list.total);
          });
        },
        "list " + std::to_string(i));
  }
}

TEST_F(SpanComparison, GroupsAreTheSame) {
  GeneratedSpanQueries generated(kSeed + 2);
  for (int i = 0; i < queries() && !tooMany(); ++i) {
    const SpanQuery query = generated.groups();
    compare(
        [&](const SpanStore& store) {
          return shown(store.groupSpans("prj", query, prices_), [&](const SpanGroups& groups) {
            return spanGroupsJson(groups, query) + " of " + std::to_string(groups.total);
          });
        },
        "groups " + std::to_string(i));
  }
}

TEST_F(SpanComparison, StatisticsAreTheSame) {
  GeneratedSpanQueries generated(kSeed + 3);
  for (int i = 0; i < queries() && !tooMany(); ++i) {
    const SpanStatsRequest request = generated.stats();
    compare(
        [&](const SpanStore& store) {
          return shown(computeSpanStats(store, prices_, "prj", request, at(9999)),
                       [](const SpanStatsReply& reply) { return spanStatsCodec().toJson(reply); });
        },
        "statistics " + std::to_string(i));
  }
}

TEST_F(SpanComparison, SearchesAreTheSame) {
  GeneratedSpanQueries generated(kSeed + 4);
  for (int i = 0; i < queries() && !tooMany(); ++i) {
    const MessageSearchQuery query = generated.search();
    compare(
        [&](const SpanStore& store) {
          return shown(
              store.searchMessages("prj", query),
              [](const std::vector<FoundMessage>& found) { return searchJson(found, true); });
        },
        "search " + std::to_string(i));
  }
}

TEST_F(SpanComparison, AgentsAndAttributesAreTheSame) {
  GeneratedSpanQueries generated(kSeed + 5);
  for (int i = 0; i < queries() && !tooMany(); ++i) {
    const AgentQuery query = generated.agents();
    compare(
        [&](const SpanStore& store) {
          return shown(store.readAgents("prj", query, prices_), [](const AgentRollups& agents) {
            std::string text = std::to_string(agents.total);
            for (const AgentRollup& one : agents.agents) {
              text += "\n" + one.agent_name + " " + one.agent_version + " " +
                      std::to_string(one.invocation_count) + " " + std::to_string(one.span_count) +
                      " " + std::to_string(one.total_input_tokens) + " " +
                      std::to_string(one.total_output_tokens) + " " +
                      std::to_string(one.total_duration_ms) + " " +
                      std::to_string(one.error_count) + " " + formatTimestamp(*one.first_seen) +
                      " " + formatTimestamp(*one.last_seen) + " " +
                      std::to_string(one.total_cost_usd.value_or(-1));
            }
            return text;
          });
        },
        "agents " + std::to_string(i));
    const SpanFilter filter = generated.filter();
    compare(
        [&](const SpanStore& store) {
          return shown(store.readCustomAttributes("prj", filter, 3, i % 3),
                       [](const std::vector<CustomAttribute>& found) {
                         std::string text;
                         for (const CustomAttribute& one : found)
                           text += std::string(columnOf(one.type).text()) + " " + one.key + " " +
                                   std::to_string(one.span_count) + "\n";
                         return text;
                       });
        },
        "attributes " + std::to_string(i));
  }
}

TEST_F(SpanComparison, TracesAndConversationsAreTheSame) {
  GeneratedSpanQueries generated(kSeed + 6);
  const auto joined = [](const Texts& texts) {
    std::string text;
    for (const std::string& one : texts) text += one + " ";
    return text;
  };
  for (int i = 0; i < queries() && !tooMany(); ++i) {
    const SpanFilter filter = generated.filter();
    const std::string conversation = "c" + std::to_string(generated.below(5));
    const Texts traces = {"t" + std::to_string(generated.below(13)),
                          "t" + std::to_string(generated.below(13))};
    compare(
        [&](const SpanStore& store) {
          return shown(store.readMatchedTraces("prj", filter, 1 + i % 5), joined);
        },
        "matched traces " + std::to_string(i));
    compare(
        [&](const SpanStore& store) {
          return shown(store.readTurns("prj", conversation, 3, i % 2), [&](const Turns& turns) {
            return joined(turns.trace_ids) + std::to_string(turns.total);
          });
        },
        "turns of " + conversation);
    compare(
        [&](const SpanStore& store) {
          return shown(store.readConversationSpans("prj", {conversation, "c0"},
                                                   filter.started_after, filter.started_before),
                       [](const std::vector<ConversationSpan>& spans) {
                         std::string text;
                         for (const ConversationSpan& one : spans)
                           text += one.conversation_id + one.operation_name + one.trace_id +
                                   one.span_id + one.status + std::to_string(one.duration_ms);
                         return text;
                       });
        },
        "spans of " + conversation);
    compare(
        [&](const SpanStore& store) {
          return shown(store.readTraceNumbers("prj", traces, i % 2 == 0 ? "score" : "tries"),
                       [](const std::unordered_map<std::string, double>& numbers) {
                         std::string text;
                         for (const auto& [trace, number] :
                              std::map<std::string, double>(numbers.begin(), numbers.end()))
                           text += trace + " " + std::to_string(number) + "\n";
                         return text;
                       });
        },
        "numbers of " + traces.front());
    compare(
        [&](const SpanStore& store) {
          return shown(store.readTraces("prj", traces), [&](const std::vector<AgentSpan>& spans) {
            SpanList list;
            for (const AgentSpan& one : spans) list.spans.push_back({one});
            SpanQuery query;
            query.details = true;
            return spanListJson(list, query, "e/p", wire::Spelling::kNeutral);
          });
        },
        "spans of " + traces.front());
    compare(
        [&](const SpanStore& store) {
          return shown(store.readOutline("prj", traces.front(), 5),
                       [](const std::vector<OutlinedSpan>& spans) {
                         std::string text;
                         for (const OutlinedSpan& one : spans)
                           text += one.span_id + one.parent_span_id + one.span_name + one.model +
                                   (one.ended_at ? formatTimestamp(*one.ended_at) : "") +
                                   std::to_string(one.input_tokens) + "\n";
                         return text;
                       });
        },
        "outline of " + traces.front());
  }
}

}  // namespace
}  // namespace spindle::agents
