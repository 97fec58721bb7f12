#include "tracing/store/call_deletion.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "identity/audit/audit_trail.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

/// Maximum number of calls deleted by one write.
constexpr std::size_t kMaxDeletedPerWrite = 5'000;

}  // namespace

Result<std::int64_t> deleteWithDescendants(CallStore& calls,
                                           identity::AuditTrail& audit,
                                           const ProjectScope& project,
                                           const std::vector<std::string>& ids) {
  if (ids.size() > kMaxDeletedCalls) return Error(ErrorCode::kTooLarge, "Request too large");
  if (ids.empty()) return std::int64_t{0};
  std::vector<TraceMember> members;
  {
    std::unique_ptr<CallView> view = TRY(calls.view(project));
    std::vector<TraceMember> found = TRY(view->tracesOf(ids));
    members = std::move(found);
  }
  std::set<std::string> deleted_ids(ids.begin(), ids.end());
  const bool any_known =
      std::any_of(members.begin(), members.end(),
                  [&](const TraceMember& member) { return deleted_ids.count(member.id) > 0; });
  if (!any_known) return std::int64_t{0};

  std::unordered_multimap<std::string, std::string> children;
  for (TraceMember& member : members) {
    if (member.parent_id) children.emplace(*std::move(member.parent_id), std::move(member.id));
  }
  // Ancestors come before their descendants.
  std::vector<std::string> order(deleted_ids.begin(), deleted_ids.end());
  for (std::size_t next = 0; next < order.size(); ++next) {
    const auto [first, last] = children.equal_range(order[next]);
    for (auto child = first; child != last; ++child) {
      if (deleted_ids.insert(child->second).second) order.push_back(child->second);
    }
  }
  TRY(audit.recordBefore({.action = "calls.delete",
                          .target_id = ids.front(),
                          .project_id = project.id,
                          .details = {{"requested", std::to_string(ids.size())},
                                      {"count", std::to_string(order.size())}}}));
  // Delete bottom-up: if a write fails, a repeated request finds the rest.
  for (std::size_t left = order.size(); left > 0;) {
    const std::size_t count = std::min(left, kMaxDeletedPerWrite);
    std::vector<CallPart> parts;
    parts.reserve(count);
    for (std::size_t i = 0; i < count; ++i) parts.emplace_back(CallDelete{order[--left]});
    TRY(calls.write(project.id, std::move(parts)));
  }
  return static_cast<std::int64_t>(order.size());
}

}  // namespace spindle::tracing
