#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "tracing/otel_resource.h"

namespace spindle::tracing {

/// Whether a call can be seen, by which of its parts have come.
enum class Presence : std::int64_t {
  kAwaited = 0,  ///< an end or a new name came first; the start is still out
  kVisible = 1,
  kDeleted = 2,  ///< for good, also for parts that come later
};

/// One JSON payload as it is stored: compact, with only the escapes that JSON demands.
using Payload = std::string;

/// One traced call as it is stored. References are in their internal form.
struct Call {
  std::string id;
  Presence presence = Presence::kAwaited;
  std::string trace_id;
  std::optional<std::string> parent_id = {};
  std::optional<std::string> thread_id = {};
  std::optional<std::string> turn_id = {};
  std::string op_name;
  std::optional<std::string> display_name = {};
  std::optional<Timestamp> started_at = {};  ///< empty only while the start is awaited
  std::optional<Timestamp> ended_at = {};    ///< empty: still running
  std::optional<std::string> exception = {};
  std::optional<Payload> attributes = {};
  std::optional<Payload> inputs = {};
  std::optional<Payload> output = {};  ///< JSON null is an empty optional
  std::optional<Payload> summary = {};
  std::optional<Payload> otel_dump = {};
  std::optional<std::string> user_id = {};
  std::optional<std::string> run_id = {};  ///< entity/project/run
  std::optional<std::int64_t> run_step = {};
  std::optional<std::int64_t> run_step_end = {};
  std::optional<Timestamp> expire_at = {};
  std::vector<std::string> input_refs = {};
  std::vector<std::string> output_refs = {};
  // Sizes of the payloads as the API counts them.
  std::int64_t start_bytes = 0;  ///< attributes, inputs and the OTel dump
  std::int64_t output_bytes = 0;
  std::int64_t summary_bytes = 0;
  std::int64_t descendant_errors = 0;  ///< `status_counts.error` of the summary
  /// Digest of the resource of `otel_dump` where that is stored by itself. Readers of calls put
  /// the resource into the dump and leave this empty.
  std::optional<std::string> otel_resource = {};

  std::int64_t storageBytes() const { return start_bytes + output_bytes + summary_bytes; }
};

/// What the start of a call brings.
struct CallStart {
  std::string id;
  std::string trace_id;
  std::string op_name;
  Timestamp started_at;
  std::optional<std::string> display_name = {};
  std::optional<std::string> parent_id = {};
  std::optional<std::string> thread_id = {};
  std::optional<std::string> turn_id = {};
  Payload attributes = {};
  Payload inputs = {};
  std::optional<Payload> otel_dump = {};
  OtelResourcePtr otel_resource = {};  ///< of `otel_dump`, when that holds none itself
  std::optional<std::string> user_id = {};
  std::optional<std::string> run_id = {};
  std::optional<std::int64_t> run_step = {};
  std::optional<Timestamp> expire_at = {};
  std::vector<std::string> input_refs = {};
  std::int64_t bytes = 0;
};

/// What the end of a call brings.
struct CallEnd {
  std::string id;
  Timestamp ended_at;
  std::optional<std::string> exception = {};
  std::optional<Payload> output = {};
  Payload summary = {};
  std::optional<std::int64_t> run_step_end = {};
  std::vector<std::string> output_refs = {};
  std::int64_t output_bytes = 0;
  std::int64_t summary_bytes = 0;
  std::int64_t descendant_errors = 0;
  bool start_required = false;  ///< refuse the end of a call that has not started
};

/// A call that came whole. Takes the place of what is known of it.
struct CallComplete {
  CallStart start;
  CallEnd end;
};

struct CallRename {
  std::string id;
  std::string display_name;  ///< empty: takes the name away
};

struct CallDelete {
  std::string id;
};

/// A part of a call. Parts come in any order, in any request, more than once.
using CallPart = std::variant<CallStart, CallEnd, CallComplete, CallRename, CallDelete>;

const std::string& idOf(const CallPart& part);

/// Returns an upper bound of the bytes that the part adds to a journal, by itself: a resource that
/// it refers to and a stored call that it is merged into are not counted.
std::size_t storedBytes(const CallPart& part);

/// When something that began then may go, in a project that keeps things for so many days; never
/// when it keeps them for ever.
std::optional<Timestamp> expiryOf(Timestamp start, std::optional<std::int64_t> retention_days);

}  // namespace spindle::tracing
