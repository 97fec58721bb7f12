#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/chat/chat_reader.h"
#include "agents/store/span_outline.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "pricing/project_prices.h"
#include "schema/type.h"
#include "tracing/calls/call_outline.h"

namespace spindle::agents {

/// All steps of a trace in columns of equal length, oldest first.
struct OutlineColumns {
  std::vector<std::string> id;
  std::vector<std::int64_t> parent;  ///< index of the parent, -1 without one; never a cycle
  std::vector<std::int64_t> name;    ///< index in TraceOutline::names
  std::vector<std::string> kind;
  std::vector<std::string> source;       ///< `call`, `span` or `both`
  std::vector<std::int64_t> started_at;  ///< microseconds after `t0`
  std::vector<std::optional<std::int64_t>> ended_at;
  std::vector<std::string> status;
  std::vector<std::optional<std::int64_t>> tokens;
  std::vector<std::optional<double>> cost;
};

struct TraceOutline {
  std::string trace_id;
  std::int64_t count = 0;
  bool truncated = false;       ///< the trace has more steps
  std::optional<Timestamp> t0;  ///< start of the first step; nothing for an empty trace
  std::vector<std::string> names;
  OutlineColumns columns;
};

/// Joins the calls and the spans of a trace: a span and a call with the same id are one step. Keeps
/// the oldest `limit` steps. Runs in linear time, except for sorting.
TraceOutline outlineOf(std::string trace_id,
                       const std::vector<tracing::OutlinedCall>& calls,
                       const std::vector<OutlinedSpan>& spans,
                       const pricing::ProjectPrices& prices,
                       std::int64_t limit);

/// Reads a trace from both stores. An unknown trace has no steps.
Result<TraceOutline> readTraceOutline(const ChatPorts& ports,
                                      const tracing::ProjectScope& project,
                                      const std::string& trace_id,
                                      std::int64_t limit);

const schema::Codec<TraceOutline>& traceOutlineCodec();

}  // namespace spindle::agents
