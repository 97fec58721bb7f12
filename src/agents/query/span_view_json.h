#pragma once

#include <string>
#include <string_view>

#include "agents/store/span_query.h"
#include "agents/store/span_results.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::agents {

/// Returns `{"spans": […], "groups": [], "total_count": n}`. `project` is the value of
/// `project_id`. References stay internal.
std::string spanListJson(const SpanList& list,
                         const SpanQuery& span_query,
                         std::string_view project,
                         wire::Spelling spelling);

/// Returns the same object with groups instead of spans.
std::string spanGroupsJson(const SpanGroups& groups, const SpanQuery& span_query);

void writeCell(const Cell& cell, json::Writer& out);

}  // namespace spindle::agents
