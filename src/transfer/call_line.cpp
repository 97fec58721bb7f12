#include "transfer/call_line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "json/document.h"
#include "json/writer.h"
#include "transfer/json_depth.h"
#include "transfer/rewrite_refs.h"
#include "wire/spelling.h"

namespace spindle::transfer {
namespace {

using json::Node;
using json::Writer;

constexpr std::array<std::string_view, 6> kDerived = {"status",       "latency_ms", "trace_name",
                                                      "display_name", "costs",      "feedback"};

/// Returns a member that is not null, by its neutral or its vendor name.
std::optional<Node> spelledMember(const Node& call, std::string_view neutral) {
  std::optional<Node> value = call.find(neutral);
  if (!value) value = call.find(wire::memberFor(wire::Spelling::kVendor, neutral));
  if (value && value->isNull()) return std::nullopt;
  return value;
}

/// Calls `each(name, value)` for the members of an object.
template <class Each>
void forMembers(const Node& object, const Each& each) {
  for (auto at = object.begin(); at != object.end(); ++at) {
    const Node name = *at;
    ++at;
    each(name.text(), *at);
  }
}

/// Returns the summary as the client sent it, without the members that the server derives.
std::string sentSummary(const Node& summary) {
  std::string text;
  Writer out(text);
  out.beginObject();
  forMembers(summary, [&out](const std::string& name, const Node& value) {
    if (!wire::isPlatformKey(name) || !value.isObject()) {
      out.key(name).raw(value.raw());
      return;
    }
    std::string kept;
    Writer own(kept);
    own.beginObject();
    forMembers(value, [&own](const std::string& member, const Node& inner) {
      if (std::find(kDerived.begin(), kDerived.end(), member) == kDerived.end())
        own.key(member).raw(inner.raw());
    });
    own.endObject();
    if (kept != "{}") out.key(name).raw(kept);
  });
  out.endObject();
  return text;
}

/// Writes the record for the API request.
class RecordWriter {
 public:
  RecordWriter(const Node& call, const CallLineOptions& options) : call_(call), options_(options) {}

  Result<ImportCall> write() {
    const std::optional<Node> project = spelledMember(call_, "project_id");
    if (project && project->isString()) source_ = project->text();
    ImportCall sendable;
    sendable.ended = spelledMember(call_, "ended_at").has_value();
    Writer out(sendable.json);
    out.beginObject().key("project_id").string(options_.project);
    for (const char* name : {"id", "trace_id", "op_name", "started_at"}) {
      const std::optional<Node> value = spelledMember(call_, name);
      if (!value || !value->isString())
        return Error::invalidArgument(std::string("not a call: it has no \"") + name + "\"");
      put(out, name, value->raw());
    }
    for (const char* name : {"attributes", "inputs"}) {
      const std::optional<Node> value = spelledMember(call_, name);
      put(out, name, value ? value->raw() : "{}");
    }
    putIfSet(out,
             {"display_name", "parent_id", "thread_id", "turn_id", "svc_run_id", "svc_run_step"});
    if (sendable.ended) {
      putIfSet(out, {"ended_at", "exception", "output", "svc_run_step_end"});
      const std::optional<Node> summary = spelledMember(call_, "summary");
      put(out, "summary", summary && summary->isObject() ? sentSummary(*summary) : "{}");
    }
    out.endObject();
    return sendable;
  }

 private:
  void put(Writer& out, std::string_view name, std::string_view json) const {
    const bool stay = options_.keep_refs || source_.empty();
    out.key(name).raw(stay ? std::string(json) : rewriteRefs(json, source_, options_.project));
  }

  void putIfSet(Writer& out, std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (const std::optional<Node> value = spelledMember(call_, name))
        put(out, name, value->raw());
    }
  }

  const Node call_;
  const CallLineOptions& options_;
  std::string source_;  ///< the project of the exported call; empty when the line has none
};

}  // namespace

Result<ImportCall> readCallLine(std::string line, const CallLineOptions& options) {
  const auto parsed = json::Document::parse(std::move(line), kMaxJsonDepth);
  if (const auto* error = std::get_if<json::SyntaxError>(&parsed))
    return Error::invalidArgument("not JSON: " + error->message);
  const Node call = std::get<json::Document>(parsed).root();
  if (!call.isObject()) return Error::invalidArgument("not a JSON object");
  return RecordWriter(call, options).write();
}

}  // namespace spindle::transfer
