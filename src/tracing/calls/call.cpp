#include "tracing/calls/call.h"

namespace spindle::tracing {
namespace {

/// Numbers, times, tags and lengths of a row, and the framing of its record.
constexpr std::size_t kRowOverhead = 400;
/// The length field of a list item.
constexpr std::size_t kItemOverhead = 10;

std::size_t sizeOf(const std::optional<std::string>& text) { return text ? text->size() : 0; }

std::size_t sizeOf(const std::vector<std::string>& texts) {
  std::size_t size = 0;
  for (const std::string& text : texts) size += kItemOverhead + text.size();
  return size;
}

struct PartSize {
  std::size_t operator()(const CallStart& start) const {
    return start.id.size() + start.trace_id.size() + start.op_name.size() +
           sizeOf(start.display_name) + sizeOf(start.parent_id) + sizeOf(start.thread_id) +
           sizeOf(start.turn_id) + start.attributes.size() + start.inputs.size() +
           sizeOf(start.otel_dump) + sizeOf(start.user_id) + sizeOf(start.run_id) +
           sizeOf(start.input_refs) +
           (start.otel_resource ? start.otel_resource->digest.size() : 0);
  }
  std::size_t operator()(const CallEnd& end) const {
    return end.id.size() + end.summary.size() + sizeOf(end.output) + sizeOf(end.exception) +
           sizeOf(end.output_refs) + (end.usage ? end.usage->model.size() : 0);
  }
  std::size_t operator()(const CallComplete& complete) const {
    return (*this)(complete.start) + (*this)(complete.end);
  }
  std::size_t operator()(const CallRename& rename) const {
    return rename.id.size() + rename.display_name.size();
  }
  std::size_t operator()(const CallDelete& deletion) const { return deletion.id.size(); }
};

}  // namespace

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

std::size_t storedBytes(const CallPart& part) {
  return kRowOverhead + std::visit(PartSize{}, part);
}

std::optional<Timestamp> expiryOf(Timestamp start, std::optional<std::int64_t> retention_days) {
  if (!retention_days) return std::nullopt;
  return start + std::chrono::hours(24) * *retention_days;
}

}  // namespace spindle::tracing
