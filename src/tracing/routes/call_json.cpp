#include "tracing/routes/call_json.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <utility>

#include "json/document.h"
#include "json/writer.h"
#include "objects/values/ref.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {
namespace {

using json::Writer;

constexpr std::array<std::string_view, 6> kDerived = {"status",       "latency_ms", "trace_name",
                                                      "display_name", "costs",      "feedback"};

/// A member that a reader can request by name.
struct OptionalMember {
  std::string_view name;
  bool CallMembers::*flag;
};

constexpr auto kOptionalMembers = std::to_array<OptionalMember>({
    {"attributes", &CallMembers::attributes},
    {"inputs", &CallMembers::inputs},
    {"output", &CallMembers::output},
    {"summary", &CallMembers::summary},
    {"display_name", &CallMembers::display_name},
    {"parent_id", &CallMembers::parent_id},
    {"thread_id", &CallMembers::thread_id},
    {"turn_id", &CallMembers::turn_id},
    {"ended_at", &CallMembers::ended_at},
    {"exception", &CallMembers::exception},
    {"svc_user_id", &CallMembers::user_id},
    {"svc_run_id", &CallMembers::run_id},
    {"svc_run_step", &CallMembers::run_step},
    {"svc_run_step_end", &CallMembers::run_step_end},
    {"expire_at", &CallMembers::expire_at},
});

/// Members that are omitted only from a response with nothing but the requested ones.
constexpr auto kOmittedMembers = std::to_array<OptionalMember>({
    {"project_id", &CallMembers::project_id},
    {"op_name", &CallMembers::op_name},
    {"trace_id", &CallMembers::trace_id},
    {"started_at", &CallMembers::started_at},
    {"deleted_at", &CallMembers::deleted_at},
    {"storage_size_bytes", &CallMembers::storage_size},
    {"total_storage_size_bytes", &CallMembers::total_storage_size},
});

template <std::size_t kCount>
void select(CallMembers& members,
            const std::vector<std::string>& columns,
            const std::array<OptionalMember, kCount>& selectable) {
  for (const std::string& column : columns) {
    std::string name = column.substr(0, column.find('.'));
    if (name.ends_with("_dump") && name != "otel_dump") name.resize(name.size() - 5);
    for (const OptionalMember& optional : selectable) {
      if (name == optional.name) members.*optional.flag = true;
    }
  }
}

void writeText(Writer& out, const std::optional<std::string>& text, bool shown = true) {
  if (shown && text) {
    out.string(*text);
  } else {
    out.null();
  }
}

void writeTime(Writer& out, const std::optional<Timestamp>& time, bool shown = true) {
  if (shown && time) {
    out.string(formatTimestamp(*time));
  } else {
    out.null();
  }
}

void writeNumber(Writer& out, const std::optional<std::int64_t>& number, bool shown = true) {
  if (shown && number) {
    out.integer(*number);
  } else {
    out.null();
  }
}

/// Returns the marker of a payload that was too large, in the reader's spelling.
std::string spelledMarker(wire::Spelling spelling) {
  std::string marker(exceedsLimits());
  const std::string name = "_" + std::string(wire::platformKey(wire::Spelling::kNeutral));
  return marker.replace(marker.find(name), name.size(),
                        "_" + std::string(wire::platformKey(spelling)));
}

void writePayload(Writer& out, const Payload& payload, wire::Spelling spelling) {
  if (spelling != wire::Spelling::kNeutral && payload == exceedsLimits()) {
    out.raw(spelledMarker(spelling));
  } else {
    out.raw(payload);
  }
}

/// Calls `each(name, value)` for the members of a JSON object; does nothing for other values.
template <class Each>
void forMembers(const std::optional<Payload>& payload, const Each& each) {
  if (!payload) return;
  auto parsed = json::Document::parse(*payload, kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return;
  for (auto at = document->root().begin(); at != document->root().end(); ++at) {
    const json::Node name = *at;
    ++at;
    each(name.text(), *at);
  }
}

/// Returns true if the payload may contain members of the platform.
bool holdsPlatformMembers(const Payload& payload) {
  return payload.find(wire::platformKey(wire::Spelling::kNeutral)) != std::string::npos;
}

void writeAttributes(Writer& out, const Call& call, wire::Spelling spelling) {
  const bool renamed = spelling != wire::Spelling::kNeutral && call.attributes &&
                       holdsPlatformMembers(*call.attributes);
  if (!renamed && !call.otel_dump) {
    if (call.attributes) {
      writePayload(out, *call.attributes, spelling);
    } else {
      out.raw("{}");
    }
    return;
  }
  out.beginObject();
  forMembers(call.attributes, [&](const std::string& name, const json::Node& value) {
    out.key(wire::platformMemberFor(spelling, name)).raw(value.raw());
  });
  if (call.otel_dump) out.key("otel_span").raw(*call.otel_dump);
  out.endObject();
}

void writeDerived(Writer& out, const Call& call, const CallExtras& extras) {
  out.key("status").string(statusOf(call));
  if (call.display_name) {
    out.key("display_name").string(*call.display_name);
  } else {
    out.key("trace_name").string(opNameOf(call.op_name));
  }
  if (const std::optional<std::int64_t> latency = latencyOf(call))
    out.key("latency_ms").integer(*latency);
  if (extras.costs) out.key("costs").raw(*extras.costs);
  if (extras.feedback) out.key("feedback").raw(*extras.feedback);
}

void writeSummary(Writer& out,
                  const Call& call,
                  const CallFormat& style,
                  const CallExtras& extras) {
  out.beginObject();
  std::vector<std::pair<std::string, std::string>> kept;  // members of the platform's own object
  if (style.members.summary) {
    forMembers(call.summary, [&](const std::string& name, const json::Node& value) {
      if (!wire::isPlatformKey(name)) {
        out.key(name).raw(value.raw());
        return;
      }
      if (!value.isObject()) return;
      for (auto at = value.begin(); at != value.end(); ++at) {
        const std::string member = (*at).text();
        ++at;
        if (std::find(kDerived.begin(), kDerived.end(), member) == kDerived.end())
          kept.emplace_back(member, (*at).raw());
      }
    });
  }
  out.key(wire::platformKey(style.spelling)).beginObject();
  writeDerived(out, call, extras);
  for (const auto& [member, value] : kept) out.key(member).raw(value);
  out.endObject().endObject();
}

}  // namespace

std::string_view statusOf(const Call& call) {
  if (call.exception) return "error";
  if (!call.ended_at) return "running";
  return call.descendant_errors > 0 ? "descendant_error" : "success";
}

std::optional<std::int64_t> latencyOf(const Call& call) {
  if (!call.ended_at || !call.started_at) return std::nullopt;
  return std::chrono::floor<std::chrono::milliseconds>(*call.ended_at - *call.started_at).count();
}

std::string opNameOf(std::string_view op_name) {
  if (wire::splitRef(op_name).scheme == wire::RefScheme::kNone) return std::string(op_name);
  const Result<objects::Ref> ref = objects::parseRef(op_name);
  return ref ? ref->name : std::string(op_name);
}

CallMembers CallMembers::named(const std::vector<std::string>& columns, bool with_costs) {
  CallMembers members;
  for (const OptionalMember& optional : kOptionalMembers) members.*optional.flag = false;
  select(members, columns, kOptionalMembers);
  if (members.summary || with_costs) {
    members.summary = true;
    members.ended_at = true;
    members.exception = true;
    members.display_name = true;
  }
  return members;
}

CallMembers CallMembers::onlyNamed(const std::vector<std::string>& columns) {
  std::vector<std::string> stored;
  bool derived = false;
  for (const std::string& column : columns) {
    const bool platform = column == "summary.svc" || column.starts_with("summary.svc.");
    derived = derived || platform || column == "summary";
    if (!platform) stored.push_back(column);
  }
  CallMembers members;
  for (const OptionalMember& optional : kOptionalMembers) members.*optional.flag = false;
  for (const OptionalMember& optional : kOmittedMembers) members.*optional.flag = false;
  select(members, stored, kOptionalMembers);
  select(members, stored, kOmittedMembers);
  members.derived = derived;
  members.only_named = true;
  return members;
}

std::vector<CallColumn> CallMembers::columns() const {
  const bool always = !only_named;
  const bool svc = always || derived;
  const std::initializer_list<std::pair<bool, CallColumn>> wanted = {
      {true, CallColumn::kId},
      {always || trace_id || total_storage_size, CallColumn::kTraceId},
      {svc || op_name, CallColumn::kOpName},
      {svc || display_name, CallColumn::kDisplayName},
      {svc || started_at, CallColumn::kStartedAt},
      {svc || ended_at, CallColumn::kEndedAt},
      {svc || exception, CallColumn::kException},
      {always || parent_id || total_storage_size, CallColumn::kParentId},
      {svc, CallColumn::kDescendantErrors},
      {attributes, CallColumn::kAttributes},
      {attributes, CallColumn::kOtelDump},
      {inputs, CallColumn::kInputs},
      {output, CallColumn::kOutput},
      {summary, CallColumn::kSummary},
      {thread_id, CallColumn::kThreadId},
      {turn_id, CallColumn::kTurnId},
      {user_id, CallColumn::kUserId},
      {run_id, CallColumn::kRunId},
      {run_step, CallColumn::kRunStep},
      {run_step_end, CallColumn::kRunStepEnd},
      {expire_at, CallColumn::kExpireAt}};
  std::vector<CallColumn> needed;
  for (const auto& [flag, column] : wanted) {
    if (flag) needed.push_back(column);
  }
  return needed;
}

std::string summaryJson(const Call& call, const CallFormat& style, const CallExtras& extras) {
  std::string text;
  Writer out(text);
  writeSummary(out, call, style, extras);
  return text;
}

std::string callJson(const Call& call, const CallFormat& style, const CallExtras& extras) {
  const CallMembers& shown = style.members;
  const auto name = [&style](std::string_view neutral) {
    return wire::memberFor(style.spelling, neutral);
  };
  // Writes a member if it is requested. Without `only_named`, others are null or empty.
  const auto wants = [&shown](bool requested) { return requested || !shown.only_named; };
  std::string text;
  Writer out(text);
  const auto text_member = [&](std::string_view key, const std::optional<std::string>& value,
                               bool requested) {
    if (wants(requested)) writeText(out.key(key), value, requested);
  };
  const auto time_member = [&](std::string_view key, const std::optional<Timestamp>& value,
                               bool requested) {
    if (wants(requested)) writeTime(out.key(key), value, requested);
  };
  const auto number_member = [&](std::string_view key, const std::optional<std::int64_t>& value,
                                 bool requested) {
    if (wants(requested)) writeNumber(out.key(key), value, requested);
  };
  const auto payload_member = [&](std::string_view key, const std::optional<Payload>& value,
                                  bool requested, std::string_view missing) {
    if (!wants(requested)) return;
    out.key(key);
    if (requested && value) {
      writePayload(out, *value, style.spelling);
    } else {
      out.raw(missing);
    }
  };
  out.beginObject();
  out.key("id").string(call.id);
  if (wants(shown.project_id)) out.key("project_id").string(style.project);
  if (wants(shown.op_name))
    out.key("op_name").string(wire::opNameFor(style.spelling, call.op_name));
  text_member("display_name", call.display_name, shown.display_name);
  if (wants(shown.trace_id)) out.key("trace_id").string(call.trace_id);
  text_member("parent_id", call.parent_id, shown.parent_id);
  text_member("thread_id", call.thread_id, shown.thread_id);
  text_member("turn_id", call.turn_id, shown.turn_id);
  time_member("started_at", call.started_at, shown.started_at);
  if (shown.attributes) {
    writeAttributes(out.key("attributes"), call, style.spelling);
  } else if (!shown.only_named) {
    out.key("attributes").raw("{}");
  }
  payload_member("inputs", call.inputs, shown.inputs, "{}");
  time_member("ended_at", call.ended_at, shown.ended_at);
  if (shown.exception && extras.exception_preview) {
    out.key("exception").raw(*extras.exception_preview);
  } else {
    text_member("exception", call.exception, shown.exception);
  }
  payload_member("output", call.output, shown.output, "null");
  if (wants(shown.summary || shown.derived)) writeSummary(out.key("summary"), call, style, extras);
  text_member(name("svc_user_id"), call.user_id, shown.user_id);
  if (extras.username) out.key(name("svc_username")).string(*extras.username);
  text_member(name("svc_run_id"), call.run_id, shown.run_id);
  number_member(name("svc_run_step"), call.run_step, shown.run_step);
  number_member(name("svc_run_step_end"), call.run_step_end, shown.run_step_end);
  if (wants(shown.deleted_at)) out.key("deleted_at").null();
  time_member("expire_at", call.expire_at, shown.expire_at);
  number_member("storage_size_bytes", extras.storage_bytes, shown.storage_size);
  number_member("total_storage_size_bytes", extras.total_storage_bytes, shown.total_storage_size);
  out.endObject();
  return text;
}

}  // namespace spindle::tracing
