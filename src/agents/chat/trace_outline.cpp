#include "agents/chat/trace_outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "agents/chat/chat_tree.h"
#include "agents/store/span_store.h"
#include "base/core/ascii.h"
#include "pricing/cost_arithmetic.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_json.h"
#include "tracing/routes/call_usage.h"
#include "tracing/store/call_store.h"

namespace spindle::agents {
namespace {

using tracing::OutlinedCall;

constexpr std::string_view kCall = "call";
constexpr std::string_view kAgent = "agent";
constexpr std::string_view kTool = "tool";
constexpr std::string_view kModel = "model";
constexpr std::string_view kSpan = "span";
constexpr std::string_view kBoth = "both";

/// One step of a trace.
struct Step {
  std::string_view id;
  std::string_view parent;  ///< empty: none
  std::string name;
  std::string_view kind;
  std::string_view source;
  Timestamp started_at;
  std::optional<Timestamp> ended_at;
  bool failed = false;
  std::optional<std::int64_t> tokens = {};
  std::optional<double> cost = {};
};

/// Returns the kind of an operation of the OpenTelemetry conventions; empty if it is none of them.
std::string_view kindOfOperation(std::string_view operation) {
  constexpr auto kKinds =
      std::to_array<std::pair<std::string_view, std::string_view>>({{kInvokeAgent, kAgent},
                                                                    {"create_agent", kAgent},
                                                                    {kExecuteTool, kTool},
                                                                    {"chat", kModel},
                                                                    {"text_completion", kModel},
                                                                    {"generate_content", kModel},
                                                                    {"embeddings", kModel}});
  for (const auto& [name, kind] : kKinds) {
    if (operation == name) return kind;
  }
  return {};
}

/// Returns the kind that a call states itself; empty if it states none.
std::string_view statedKind(const OutlinedCall& call) {
  if (const std::string_view kind = kindOfOperation(call.operation); !kind.empty()) return kind;
  const std::string kind = lowerCase(call.kind);
  if (kind == kAgent) return kAgent;
  if (kind == kTool) return kTool;
  return kind == "llm" ? kModel : std::string_view();
}

/// Rounds to a billionth, because sums of prices have long fractions.
double roundedCost(double cost) { return std::round(cost * 1e9) / 1e9; }

/// Adds the usage that a call reports.
void addUsage(Step& step, const OutlinedCall& call, const pricing::ProjectPrices& prices) {
  if (!call.usage) return;
  for (const auto& [model, usage] : tracing::usageIn(*call.usage)) {
    const std::int64_t total =
        usage.total_tokens > 0 ? usage.total_tokens
                               : pricing::addTokens(usage.prompt_tokens, usage.completion_tokens);
    step.tokens = pricing::addTokens(step.tokens.value_or(0), total);
    const pricing::Price* price = prices.choose(model, call.started_at);
    if (price != nullptr)
      step.cost = step.cost.value_or(0) + pricing::costOf(usage, price->tokens).total();
  }
}

void addUsage(Step& step, const OutlinedSpan& span, const pricing::ProjectPrices& prices) {
  const std::int64_t total = pricing::addTokens(span.input_tokens, span.output_tokens);
  if (total == 0) return;
  step.tokens = total;
  step.cost.reset();
  const pricing::Price* price = prices.current(span.model);
  if (price == nullptr) return;
  pricing::Usage usage;
  usage.prompt_tokens = span.input_tokens;
  usage.completion_tokens = span.output_tokens;
  usage.cache_creation_input_tokens = span.cache_creation_input_tokens;
  usage.cache_read_input_tokens = span.cache_read_input_tokens;
  step.cost = pricing::costOf(usage, price->tokens).total();
}

class Outliner {
 public:
  explicit Outliner(const pricing::ProjectPrices& prices) : prices_(prices) {}

  void addCalls(const std::vector<OutlinedCall>& calls) {
    // Clients add the usage of a call to its callers: the model is the innermost call with usage.
    std::unordered_set<std::string_view> callers;
    for (const OutlinedCall& call : calls) {
      if (call.usage && call.parent_id) callers.insert(*call.parent_id);
    }
    for (const OutlinedCall& call : calls) {
      Step step;
      step.id = call.id;
      if (call.parent_id) step.parent = *call.parent_id;
      step.name = call.display_name ? *call.display_name : tracing::opNameOf(call.op_name);
      step.kind = statedKind(call);
      step.source = kCall;
      step.started_at = call.started_at;
      step.ended_at = call.ended_at;
      step.failed = call.failed;
      addUsage(step, call, prices_);
      if (step.kind.empty()) step.kind = step.tokens && !callers.contains(call.id) ? kModel : kCall;
      add(std::move(step));
    }
  }

  void addSpans(const std::vector<OutlinedSpan>& spans) {
    for (const OutlinedSpan& span : spans) {
      const std::string_view kind = kindOfOperation(span.operation_name);
      if (const auto known = places_.find(span.span_id); known != places_.end()) {
        Step& step = steps_[known->second];
        step.source = kBoth;
        if (!kind.empty()) step.kind = kind;
        addUsage(step, span, prices_);
        continue;
      }
      Step step;
      step.id = span.span_id;
      step.parent = span.parent_span_id.empty() ? span.parent_call_id : span.parent_span_id;
      step.name = span.span_name;
      step.kind = kind.empty() ? kCall : kind;
      step.source = kSpan;
      step.started_at = span.started_at;
      step.ended_at = span.ended_at;
      step.failed = span.status_code == "ERROR";
      addUsage(step, span, prices_);
      add(std::move(step));
    }
  }

  TraceOutline take(std::string trace_id, std::int64_t limit) {
    TraceOutline outline;
    outline.trace_id = std::move(trace_id);
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return std::pair(a.started_at, a.id) < std::pair(b.started_at, b.id);
    });
    outline.truncated = static_cast<std::int64_t>(steps_.size()) > limit;
    if (outline.truncated) steps_.resize(static_cast<std::size_t>(limit));
    outline.count = static_cast<std::int64_t>(steps_.size());
    if (steps_.empty()) return outline;
    outline.t0 = steps_.front().started_at;
    outline.columns.parent = parents();
    for (Step& step : steps_) write(step, *outline.t0, outline);
    return outline;
  }

 private:
  void add(Step step) {
    if (places_.emplace(step.id, steps_.size()).second) steps_.push_back(std::move(step));
  }

  /// Returns the indexes of the parents. One step of each cycle has none.
  std::vector<std::int64_t> parents() {
    places_.clear();
    for (std::size_t i = 0; i < steps_.size(); ++i) places_.emplace(steps_[i].id, i);
    std::vector<std::int64_t> parents;
    parents.reserve(steps_.size());
    for (const Step& step : steps_) {
      const auto found = places_.find(step.parent);
      parents.push_back(found == places_.end() ? -1 : static_cast<std::int64_t>(found->second));
    }
    // The number of the walk that reached a step first.
    std::vector<std::size_t> walks(parents.size(), 0);
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const std::size_t walk = i + 1;
      for (std::size_t at = i; walks[at] == 0;) {
        walks[at] = walk;
        if (parents[at] < 0) break;
        const auto next = static_cast<std::size_t>(parents[at]);
        if (walks[next] == walk) parents[at] = -1;
        at = next;
      }
    }
    return parents;
  }

  void write(Step& step, Timestamp t0, TraceOutline& outline) {
    OutlineColumns& columns = outline.columns;
    const auto [name, added] = names_.try_emplace(std::move(step.name), outline.names.size());
    if (added) outline.names.push_back(name->first);
    columns.id.emplace_back(step.id);
    columns.name.push_back(static_cast<std::int64_t>(name->second));
    columns.kind.emplace_back(step.kind);
    columns.source.emplace_back(step.source);
    columns.started_at.push_back((step.started_at - t0).count());
    columns.ended_at.push_back(step.ended_at ? std::optional((*step.ended_at - t0).count())
                                             : std::nullopt);
    columns.status.emplace_back(step.failed ? "error" : step.ended_at ? "ok" : "running");
    columns.tokens.push_back(step.tokens);
    columns.cost.push_back(step.cost ? std::optional(roundedCost(*step.cost)) : std::nullopt);
  }

  const pricing::ProjectPrices& prices_;
  std::vector<Step> steps_;
  std::unordered_map<std::string_view, std::size_t> places_;  ///< indexes of steps by id
  std::unordered_map<std::string, std::size_t> names_;
};

schema::Codec<OutlineColumns> columnsCodec() {
  using schema::integer, schema::list, schema::nullable, schema::string;
  using C = OutlineColumns;
  return schema::Record<C>("TraceOutlineColumns")
      .required("id", &C::id, list(string()), "Ids of calls and spans.")
      .required("parent", &C::parent, list(integer()), "Index of the parent; -1 without one.")
      .required("name", &C::name, list(integer()), "Index in `names`.")
      .required("kind", &C::kind, list(schema::literal({"call", "agent", "tool", "model"})))
      .required("source", &C::source, list(schema::literal({"call", "span", "both"})),
                "Where the step is stored: as a call, as an agent span, or as both with one id.")
      .required("started_at", &C::started_at, list(integer()), "Microseconds after `t0`.")
      .required("ended_at", &C::ended_at, list(nullable(integer())),
                "Microseconds after `t0`; null: running.")
      .required("status", &C::status, list(schema::literal({"ok", "error", "running"})))
      .required("tokens", &C::tokens, list(nullable(integer())),
                "As the step reports them; a call may include those of the calls it made.")
      .required("cost", &C::cost, list(nullable(schema::number())),
                "Of the tokens, in US dollars; null without a price.")
      .codec();
}

}  // namespace

TraceOutline outlineOf(std::string trace_id,
                       const std::vector<OutlinedCall>& calls,
                       const std::vector<OutlinedSpan>& spans,
                       const pricing::ProjectPrices& prices,
                       std::int64_t limit) {
  Outliner outliner(prices);
  outliner.addCalls(calls);
  outliner.addSpans(spans);
  return outliner.take(std::move(trace_id), limit);
}

Result<TraceOutline> readTraceOutline(const ChatPorts& ports,
                                      const tracing::ProjectScope& project,
                                      const std::string& trace_id,
                                      std::int64_t limit) {
  // One step more tells whether the trace has more.
  std::vector<OutlinedCall> calls;
  {
    const std::unique_ptr<tracing::CallView> view = TRY(ports.calls.view(project));
    std::vector<OutlinedCall> read = TRY(view->outline(trace_id, limit + 1));
    calls = std::move(read);
  }
  const std::vector<OutlinedSpan> spans =
      TRY(ports.spans.readOutline(project.id, trace_id, limit + 1));
  const auto prices = TRY(ports.prices(project.id));
  return outlineOf(trace_id, calls, spans, *prices, limit);
}

const schema::Codec<TraceOutline>& traceOutlineCodec() {
  using O = TraceOutline;
  static const schema::Codec<O> codec =
      schema::Record<O>("TraceOutline")
          .required("trace_id", &O::trace_id, schema::string())
          .required("count", &O::count, schema::integer(), "Length of each column.")
          .required("truncated", &O::truncated, schema::boolean(),
                    "True if the trace has more steps than the limit.")
          .required("t0", &O::t0, schema::nullable(schema::dateTime()),
                    "Start of the first step; null for an unknown trace.")
          .required("names", &O::names, schema::list(schema::string()))
          .required("columns", &O::columns, columnsCodec(), "All steps, oldest first.")
          .codec();
  return codec;
}

}  // namespace spindle::agents
