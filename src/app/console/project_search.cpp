#include "app/console/project_search.h"

#include <utility>
#include <vector>

#include "agents/store/span_store.h"
#include "evaluation/recording/call_names.h"
#include "http/message/uri.h"
#include "tracing/store/call_store.h"

namespace spindle::app {
namespace {

using http::percentEncode;
using Found = std::optional<ResolvedReference>;

/// Returns a query that a field of spans has this text.
agents::SpanFilter fieldEquals(std::string field, const std::string& text) {
  using query::Expression, query::Operator;
  const Expression name{.op = Operator::kField, .field = std::move(field)};
  const Expression value{.op = Operator::kLiteral, .literal = text};
  agents::SpanFilter filter;
  filter.query = query::Query{Expression{.op = Operator::kEq, .operands = {name, value}}};
  return filter;
}

ResolvedReference resolved(std::string kind,
                           const SearchedProject& project,
                           const std::string& id,
                           const std::string& rest) {
  return {std::move(kind), project.team, project.name, id, pageOf(project, rest)};
}

}  // namespace

std::string pageOf(const SearchedProject& project, const std::string& rest) {
  return "p/" + percentEncode(project.team) + "/" + percentEncode(project.name) + "/" + rest;
}

Result<Found> findCall(tracing::CallStore& calls,
                       const SearchedProject& project,
                       const std::string& id) {
  using tracing::CallColumn;
  const std::unique_ptr<tracing::CallView> view =
      TRY(calls.view({project.id, project.team + "/" + project.name}));
  const std::optional<tracing::Call> call =
      TRY(view->find(id, {CallColumn::kId, CallColumn::kTraceId, CallColumn::kOpName}));
  if (!call) return Found();
  if (evaluation::isEvaluate(call->op_name)) {
    return Found(resolved("evaluation", project, id, "evals/" + percentEncode(id)));
  }
  return Found(resolved("call", project, id,
                        "traces/" + percentEncode(call->trace_id) + "?span=" + percentEncode(id)));
}

Result<Found> findTrace(tracing::CallStore& calls,
                        const agents::SpanStore& spans,
                        const SearchedProject& project,
                        const std::string& id) {
  const Found trace(resolved("trace", project, id, "traces/" + percentEncode(id)));
  {
    const std::unique_ptr<tracing::CallView> view =
        TRY(calls.view({project.id, project.team + "/" + project.name}));
    tracing::CallQuery in_trace;
    in_trace.filter.trace_ids = std::vector<std::string>{id};
    const tracing::CallCount count = TRY(view->count(in_trace, 1, /*with_storage=*/false));
    if (count.count > 0) return trace;
  }
  const std::vector<std::string> found =
      TRY(spans.readMatchedTraces(project.id, fieldEquals("trace_id", id), 1));
  return found.empty() ? Found() : trace;
}

Result<Found> findSpan(const agents::SpanStore& spans,
                       const SearchedProject& project,
                       const std::string& id) {
  const std::vector<std::string> traces =
      TRY(spans.readMatchedTraces(project.id, fieldEquals("span_id", id), 1));
  if (traces.empty()) return Found();
  return Found(resolved("span", project, id,
                        "traces/" + percentEncode(traces.front()) + "?span=" + percentEncode(id)));
}

}  // namespace spindle::app
