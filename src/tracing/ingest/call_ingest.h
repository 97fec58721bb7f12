#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "json/writer.h"
#include "tracing/calls/call.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {

/// The start of a call as a client sends it.
struct StartInput {
  std::string project_id;
  std::string op_name;
  std::optional<std::string> display_name;
  std::optional<std::string> parent_id;
  std::optional<std::string> thread_id;
  std::optional<std::string> turn_id;
  Timestamp started_at;
  json::Text attributes;
  json::Text inputs;
  std::optional<std::string> id;
  std::optional<std::string> trace_id;
  std::optional<json::Text> otel_dump;
  std::optional<std::string> svc_user_id;  ///< ignored; the credential identifies the user
  std::optional<std::string> svc_run_id;
  std::optional<std::int64_t> svc_run_step;
};

/// The members that the end of a call and a whole call have in the same form.
struct EndMembers {
  Timestamp ended_at;
  std::optional<std::string> exception;
  std::optional<json::Text> output;
  json::Text summary;
  std::optional<std::int64_t> svc_run_step_end;
};

/// The end of a call as a client sends it.
struct EndInput : EndMembers {
  std::string project_id;
  std::string id;
  std::optional<std::string> trace_id;
  std::optional<bool> is_eval;
  std::optional<Timestamp> started_at;
};

/// A whole call as a client sends it.
struct CompleteInput : StartInput, EndMembers {};

/// The author and project of incoming calls.
struct IngestContext {
  std::string_view project;  ///< entity/project
  std::string_view user_id;
  std::optional<std::int64_t> retention_days = {};
  Timestamp now = {};
  const PayloadPorts& ports;
};

/// Maximum size of all payloads of one row. Larger rows lose their largest payloads first.
inline constexpr std::size_t kMaxRowBytes = 3'670'016;

// Validate a client's input and convert it to its stored form: ids, credentials, references, media,
// sizes.
// @return kInvalidArgument for an invalid value, kTooLarge for excessive nesting, and the errors of
// the ports.
Result<CallStart> toCallStart(StartInput input, const IngestContext& intake);
Result<CallEnd> toCallEnd(EndInput input, const IngestContext& intake);
Result<CallComplete> toCallComplete(CompleteInput input, const IngestContext& intake);

/// Returns `Invalid UUID: <v>` unless the id has one of the accepted forms.
Result<void> checkCallId(std::string_view id);
/// @return kInvalidArgument if the name is too long.
Result<void> checkDisplayName(std::string_view name);

}  // namespace spindle::tracing
