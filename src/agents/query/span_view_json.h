#pragma once

#include <string>
#include <string_view>

#include "agents/store/span_query.h"
#include "agents/store/span_results.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::agents {

/// Returns the spans as a JSON list. `project` is the value of `project_id`. References stay
/// internal.
std::string spanListJson(const SpanList& list,
                         const SpanQuery& span_query,
                         std::string_view project,
                         wire::Spelling spelling);

/// Returns the groups as a JSON list.
std::string spanGroupsJson(const SpanGroups& groups, const SpanQuery& span_query);

void writeCell(const Cell& cell, json::Writer& out);

}  // namespace spindle::agents
