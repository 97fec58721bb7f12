#include "tracing/call_deletion.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "tracing/call_store.h"

namespace spindle::tracing {
namespace {

/// Larger traces are not walked to their end.
constexpr std::size_t kMostWalked = 10'000;

}  // namespace

Result<std::int64_t> deleteWithDescendants(CallStore& calls,
                                           const ProjectScope& project,
                                           const std::vector<std::string>& ids) {
  if (ids.size() > kMaxDeletedCalls) return Error(ErrorCode::kTooLarge, "Request too large");
  if (ids.empty()) return std::int64_t{0};
  std::vector<TraceMember> members;
  {
    Result<std::unique_ptr<CallView>> view = calls.view(project);
    if (!view) return std::move(view).error();
    Result<std::vector<TraceMember>> found = (*view)->tracesOf(ids, kMostWalked);
    if (!found) return std::move(found).error();
    members = *std::move(found);
  }
  std::set<std::string> doomed(ids.begin(), ids.end());
  const bool any_known =
      std::any_of(members.begin(), members.end(),
                  [&](const TraceMember& member) { return doomed.count(member.id) > 0; });
  if (!any_known) return std::int64_t{0};

  std::unordered_multimap<std::string, std::string> children;
  for (TraceMember& member : members) {
    if (member.parent_id) children.emplace(*std::move(member.parent_id), std::move(member.id));
  }
  std::vector<std::string> open(doomed.begin(), doomed.end());
  while (!open.empty()) {
    const std::string parent = std::move(open.back());
    open.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      if (doomed.insert(child->second).second) open.push_back(child->second);
    }
  }
  std::vector<CallPart> parts;
  for (const std::string& id : doomed) parts.emplace_back(CallDelete{id});
  if (Result<void> written = calls.write(project.id, std::move(parts)); !written)
    return std::move(written).error();
  return static_cast<std::int64_t>(doomed.size());
}

}  // namespace spindle::tracing
