#pragma once

#include <optional>
#include <string>

#include "app/console/reference_resolver.h"
#include "base/core/result.h"

// Internal: looks ids up in the calls and spans of one project.
namespace spindle::app {

/// A project that the caller may read.
struct SearchedProject {
  std::string id;
  std::string team;
  std::string name;
};

/// Returns `p/team/project/rest`, with the names percent-encoded. `rest` is encoded already.
std::string pageOf(const SearchedProject& project, const std::string& rest);

/// Finds a call; a run of an evaluation has its own page.
Result<std::optional<ResolvedReference>> findCall(tracing::CallStore& calls,
                                                  const SearchedProject& project,
                                                  const std::string& id);
/// Finds a trace of calls or of agent spans.
Result<std::optional<ResolvedReference>> findTrace(tracing::CallStore& calls,
                                                   const agents::SpanStore& spans,
                                                   const SearchedProject& project,
                                                   const std::string& id);
/// Finds an agent span.
Result<std::optional<ResolvedReference>> findSpan(const agents::SpanStore& spans,
                                                  const SearchedProject& project,
                                                  const std::string& id);

}  // namespace spindle::app
