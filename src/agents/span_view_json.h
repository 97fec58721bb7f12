#pragma once

#include <string>
#include <string_view>

#include "agents/span_query_store.h"
#include "agents/span_question.h"
#include "json/writer.h"
#include "wire/spelling.h"

namespace spindle::agents {

/// `{"spans": […], "groups": [], "total_count": n}`. `project` is what project_id shows. References
/// stay internal.
std::string spanListJson(const SpanList& list,
                         const SpanQuestion& question,
                         std::string_view project,
                         wire::Spelling spelling);

/// The same for groups.
std::string spanGroupsJson(const SpanGroups& groups, const SpanQuestion& question);

void writeCell(const Cell& cell, json::Writer& out);

}  // namespace spindle::agents
