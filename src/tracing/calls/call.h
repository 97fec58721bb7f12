#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/core/time.h"
#include "tracing/calls/otel_resource.h"
#include "tracing/calls/reported_usage.h"

namespace spindle::tracing {

/// Whether a call is visible, depending on the parts received so far.
enum class Presence : std::int64_t {
  kAwaited = 0,  ///< an end or a rename arrived first; the start is missing
  kVisible = 1,
  kDeleted = 2,  ///< permanently, also for parts that arrive later
};

/// One JSON payload in its stored form: compact, with only the escapes that JSON requires.
using Payload = std::string;

/// Facts about the whole payloads of a call of which only the first characters were read. Sizes are
/// bytes, and 0 for a payload that is absent or was not read.
struct CallPreview {
  std::int64_t exception_bytes = 0;
  std::int64_t attributes_bytes = 0;
  std::int64_t inputs_bytes = 0;
  std::int64_t output_bytes = 0;
  std::int64_t summary_bytes = 0;
  std::optional<Payload> usage = {};  ///< the member `usage` of a summary that was cut
};

/// One traced call in its stored form. References are in their internal form.
struct Call {
  std::string id;
  Presence presence = Presence::kAwaited;
  std::string trace_id;
  std::optional<std::string> parent_id = {};
  std::optional<std::string> thread_id = {};
  std::optional<std::string> turn_id = {};
  std::string op_name;
  std::optional<std::string> display_name = {};
  std::optional<Timestamp> started_at = {};  ///< empty only while the start is missing
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
  // Sizes of the payloads, as the API counts them.
  std::int64_t start_bytes = 0;  ///< attributes, inputs and the OTel dump
  std::int64_t output_bytes = 0;
  std::int64_t summary_bytes = 0;
  std::int64_t descendant_errors = 0;  ///< `status_counts.error` of the summary
  /// Digest of the resource of `otel_dump`, if the resource is stored separately. Readers of calls
  /// insert the resource into the dump and leave this empty.
  std::optional<std::string> otel_resource = {};
  /// Set by a reader of previews; not stored.
  std::optional<CallPreview> preview = {};
  // The usage in the summary; see ReportedUsage. Without a number of models (a call that an older
  // release stored), readers parse the summary.
  std::optional<std::int64_t> usage_models = {};
  std::optional<std::string> usage_model = {};  ///< this and the counts: only of a single model
  std::optional<double> usage_input = {};
  std::optional<double> usage_output = {};
  std::optional<double> usage_total = {};
  std::optional<double> usage_cache_read = {};
  std::optional<double> usage_cache_creation = {};

  std::int64_t storageBytes() const { return start_bytes + output_bytes + summary_bytes; }
};

/// The start part of a call.
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
  OtelResourcePtr otel_resource = {};  ///< resource of `otel_dump`, if the dump contains none
                                       ///< itself
  std::optional<std::string> user_id = {};
  std::optional<std::string> run_id = {};
  std::optional<std::int64_t> run_step = {};
  std::optional<Timestamp> expire_at = {};
  std::vector<std::string> input_refs = {};
  std::int64_t bytes = 0;
};

/// The end part of a call.
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
  std::optional<ReportedUsage> usage = {};  ///< of the summary
  bool start_required = false;              ///< reject the end of a call that has not started
};

/// A complete call in one part. Replaces all stored parts of the call.
struct CallComplete {
  CallStart start;
  CallEnd end;
};

struct CallRename {
  std::string id;
  std::string display_name;  ///< empty: removes the name
};

struct CallDelete {
  std::string id;
};

/// A part of a call. Parts arrive in any order, in any request, and may repeat.
using CallPart = std::variant<CallStart, CallEnd, CallComplete, CallRename, CallDelete>;

const std::string& idOf(const CallPart& part);

/// Returns an upper bound of the bytes that the part alone adds to a journal. Does not count the
/// resource that it refers to or the stored call that it is merged into.
std::size_t storedBytes(const CallPart& part);

/// Returns the expiry of a call that started at `start`, in a project with this retention. Empty if
/// retention is unlimited.
std::optional<Timestamp> expiryOf(Timestamp start, std::optional<std::int64_t> retention_days);

}  // namespace spindle::tracing
