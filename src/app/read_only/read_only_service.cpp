#include "app/read_only/read_only_service.h"

#include <algorithm>
#include <array>

#include "base/core/error.h"
#include "http/router/error_body.h"

namespace spindle::app {
namespace {

using http::Method;

/// Paths of POST requests that change nothing; `*` is one segment.
constexpr auto kReads = std::to_array<std::string_view>({
    "/agents/agent-versions/query",
    "/agents/conversations/chat",
    "/agents/conversations/spans",
    "/agents/query",
    "/agents/search",
    "/agents/spans/custom-attrs/schema",
    "/agents/spans/query",
    "/agents/spans/stats",
    "/agents/traces/chat",
    "/annotation_queues/query",
    "/annotation_queues/stats",
    "/annotation_queues/*/items/query",
    "/api/v1/automations/preview",
    "/api/v1/automations/*/render",
    "/api/v1/backup/holds",
    "/api/v1/backup/holds/*/mark",
    "/api/v1/backup/holds/*/renew",
    "/call/read",
    "/calls/attributes",
    "/calls/facets",
    "/calls/query",
    "/calls/query_stats",
    "/calls/search",
    "/calls/stats",
    "/calls/stream_query",
    "/calls/usage",
    "/cost/query",
    "/evaluations/status",
    "/feedback/aggregate",
    "/feedback/payload_schema",
    "/feedback/query",
    "/feedback/stats",
    "/file/content",
    "/files/content",
    "/files/query_stats",
    "/files/stats",
    "/obj/read",
    "/objs/query",
    "/project/stats",
    "/project/ttl_settings/read",
    "/refs/read_batch",
    "/service/projects_info",
    "/table/query",
    "/table/query_stats",
    "/table/query_stats_batch",
    "/threads/stream_query",
    "/trace/outline",
    "/trace/usage",
    "/v2/*/*/eval_results/query",
});

/// Requests with GET that start a session.
constexpr std::string_view kSignIns = "/api/v1/session/oidc/";
constexpr std::string_view kHolds = "/api/v1/backup/holds/*";

/// Removes the first segment with its slash and returns it. The rest is empty at the end.
std::string_view takeSegment(std::string_view& path) {
  const std::size_t end = std::min(path.find('/', 1), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

bool matches(std::string_view path, std::string_view pattern) {
  while (!path.empty() && !pattern.empty()) {
    const std::string_view segment = takeSegment(path);
    const std::string_view wanted = takeSegment(pattern);
    if (wanted != "/*" ? segment != wanted : segment.size() < 2) return false;
  }
  return path.empty() && pattern.empty();
}

}  // namespace

bool isReadRequest(Method method, std::string_view path) {
  switch (method) {
    case Method::kGet:
    case Method::kHead:
    case Method::kOptions:
      return !path.starts_with(kSignIns);
    case Method::kPost:
      return std::any_of(kReads.begin(), kReads.end(),
                         [&](std::string_view pattern) { return matches(path, pattern); });
    case Method::kDelete:
      return matches(path, kHolds);
    case Method::kPut:
    case Method::kPatch:
    case Method::kOther:
      return false;
  }
  return false;
}

http::Admission ReadOnlyService::admit(const http::Request& head) const {
  http::Admission admission = inner_.admit(head);
  if (admission.refusal || isReadRequest(head.method, head.path())) return admission;
  const Error refused =
      Error::unavailable(
          "The server is read-only while its data is being moved. Send the request again later.")
          .because("read_only")
          .with("retry_after_seconds", "30");
  admission.refusal = http::errorResponse(refused, admission.errors);
  return admission;
}

}  // namespace spindle::app
