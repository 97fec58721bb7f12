// The time of the chat view of a trace among many other spans of the same project: from the query
// to the JSON, without the network.
//
//   chat_bench [--spans N] [--folder DIR]
//
// The program generates the spans, in traces of 20. A given folder must be new; it is kept.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "agents/chat/chat_json.h"
#include "agents/chat/chat_projection.h"
#include "agents/columnar/columnar_span_store.h"
#include "agents/sql/span_row.h"
#include "agents/store/span_cost.h"
#include "base/core/metrics.h"
#include "columnar/store/store.h"
#include "tracing/store/otel_resource_store.h"

namespace {

using namespace spindle;
using Watch = std::chrono::steady_clock;

constexpr std::size_t kTraceSpans = 20;
constexpr std::size_t kLongTrace = 10'000;
constexpr std::size_t kBatch = 2'000;
constexpr int kRounds = 50;

class Maker {
 public:
  agents::AgentSpan span(const std::string& trace, std::size_t place, std::size_t of) {
    agents::AgentSpan made;
    made.trace_id = trace;
    made.span_id = hex(16);
    if (place == 0) root_ = made.span_id;
    made.parent_span_id = place == 0 ? "" : root_;
    made.started_at = time_ += std::chrono::microseconds(137);
    made.ended_at = made.started_at + std::chrono::milliseconds(place == 0 ? of : 1);
    made.created_at = made.started_at;
    made.status_code = "OK";
    made.span_kind = "INTERNAL";
    made.provider_name = "openai";
    const std::string number = std::to_string(place);
    if (place == 0) {
      made.operation_name = "invoke_agent";
      made.span_name = "invoke_agent planner";
      made.agent_name = "planner";
      made.conversation_id = trace.substr(0, 8);
    } else if (place % 3 == 2) {
      made.operation_name = "execute_tool";
      made.span_name = "execute_tool search";
      made.tool_name = "search";
      made.tool_call_arguments = R"({"query": "weather )" + hex(24) + R"("})";
      made.tool_call_result = "4 degrees and rain, says " + hex(64);
    } else {
      made.operation_name = "chat";
      made.span_name = "chat m-large";
      made.request_model = "m-large";
      made.input_tokens = 200;
      made.output_tokens = 40;
      made.system_instructions = {"Be brief and kind, and look things up."};
      made.input_messages = {{"user", "What about " + number + " " + hex(80) + "?", ""}};
      made.output_messages = {{"assistant", "It is " + hex(120), "stop"}};
    }
    return made;
  }

  std::string hex(std::size_t digits) {
    std::string text;
    while (text.size() < digits) {
      char piece[17];
      std::snprintf(piece, sizeof(piece), "%016llx", static_cast<unsigned long long>(random_()));
      text += piece;
    }
    return text.substr(0, digits);
  }

 private:
  std::mt19937_64 random_{7};
  std::string root_;
  Timestamp time_{std::chrono::hours(24) * 20'000};
};

class Load {
 public:
  explicit Load(agents::SpanStore& store) : store_(store) {}

  std::string trace(std::size_t spans) {
    const std::string id = maker_.hex(32);
    for (std::size_t i = 0; i < spans; ++i) {
      batch_.push_back(maker_.span(id, i, spans));
      if (batch_.size() == kBatch) write();
    }
    return id;
  }

  void write() {
    while (true) {
      const Result<void> written = store_.write("project", batch_);
      if (written) break;
      if (written.error().code() == ErrorCode::kRateLimited) continue;
      std::fprintf(stderr, "%s\n", written.error().message().c_str());
      std::exit(1);
    }
    batch_.clear();
  }

 private:
  agents::SpanStore& store_;
  Maker maker_;
  std::vector<agents::AgentSpan> batch_;
};

void measure(const char* name,
             const agents::SpanStore& store,
             const std::string& trace,
             std::size_t expected) {
  const pricing::ProjectPrices prices({});
  std::vector<double> times;
  std::size_t bytes = 0;
  const std::clock_t worked = std::clock();
  for (int round = 0; round < kRounds; ++round) {
    const Watch::time_point begin = Watch::now();
    const Result<std::vector<agents::AgentSpan>> spans = store.readTrace("project", trace);
    if (!spans || spans->size() != expected) {
      std::fprintf(stderr, "%s: the trace is not there\n", name);
      std::exit(1);
    }
    agents::Chat chat = agents::projectChat(*spans, agents::costsOf(*spans, prices));
    const std::string text =
        agents::chatCodec().toJson(agents::chatDocument(trace, std::move(chat), std::nullopt));
    bytes = text.size();
    times.push_back(std::chrono::duration<double, std::milli>(Watch::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  // On a busy machine the CPU time of all threads is more meaningful than the elapsed time.
  const double cpu = 1000.0 * static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC / kRounds;
  std::printf(
      "%-6s %6zu spans %9zu bytes   median %7.2f ms   p95 %7.2f ms   max %7.2f ms   cpu %7.2f ms\n",
      name, expected, bytes, times[times.size() / 2], times[times.size() * 95 / 100], times.back(),
      cpu);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t others = 200'000;
  std::string folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--spans") == 0) others = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--folder") == 0) folder = argv[i + 1];
  }
  const bool temporary = folder.empty();
  if (temporary) {
    folder = (std::filesystem::temp_directory_path() / "spindle-chat-bench").string();
    std::filesystem::remove_all(folder);
  }
  {
    MetricRegistry metrics;
    columnar::StoreOptions options;
    options.folder = folder;
    const std::unique_ptr<columnar::Store> store = columnar::Store::open(
        options, {agents::spanFamily(), tracing::otelResourceFamily()}, metrics);
    agents::ColumnarSpanStore spans(*store, {0, 1});
    Load load(spans);
    const Watch::time_point begin = Watch::now();
    for (std::size_t i = 0; i < others / 2; i += kTraceSpans) load.trace(kTraceSpans);
    const std::string small = load.trace(kTraceSpans);
    const std::string large = load.trace(kLongTrace);
    for (std::size_t i = 0; i < others / 2; i += kTraceSpans) load.trace(kTraceSpans);
    load.write();
    if (const Result<void> flushed = store->flush(); !flushed) return 1;
    const double took = std::chrono::duration<double>(Watch::now() - begin).count();
    std::printf("%zu other spans, stored in %.1f s\n", others, took);
    measure("small", spans, small, kTraceSpans);
    measure("large", spans, large, kLongTrace);
  }
  if (temporary) std::filesystem::remove_all(folder);
  return 0;
}
