#include "otlp/span.h"

#include <array>

namespace spindle::otlp {

std::string_view nameOf(SpanKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"UNSPECIFIED", "INTERNAL", "SERVER",
                                                      "CLIENT",      "PRODUCER", "CONSUMER"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view nameOf(StatusCode code) {
  constexpr std::array<std::string_view, 3> kNames = {"UNSET", "OK", "ERROR"};
  return kNames[static_cast<std::size_t>(code)];
}

std::size_t ExportRequest::spanCount() const {
  std::size_t count = 0;
  for (const ResourceSpans& resource : resource_spans) {
    for (const ScopeSpans& scope : resource.scope_spans) count += scope.spans.size();
  }
  return count;
}

}  // namespace spindle::otlp
