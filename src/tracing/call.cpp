#include "tracing/call.h"

namespace spindle::tracing {

const std::string& idOf(const CallPart& part) {
  struct Id {
    const std::string& operator()(const CallStart& start) const { return start.id; }
    const std::string& operator()(const CallEnd& end) const { return end.id; }
    const std::string& operator()(const CallComplete& complete) const { return complete.start.id; }
    const std::string& operator()(const CallRename& rename) const { return rename.id; }
    const std::string& operator()(const CallDelete& deletion) const { return deletion.id; }
  };
  return std::visit(Id{}, part);
}

std::optional<Timestamp> expiryOf(Timestamp start, std::optional<std::int64_t> retention_days) {
  if (!retention_days) return std::nullopt;
  return start + std::chrono::hours(24) * *retention_days;
}

}  // namespace spindle::tracing
