#include "tracing/routes/call_view_api.h"

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/time.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"
#include "tracing/calls/call.h"

namespace spindle::tracing {
namespace {

using schema::dateTime, schema::ifPresent, schema::integer, schema::jsonObject, schema::nullable,
    schema::string;

/// A call in a response. The payloads of a Call are text, and in a response JSON.
struct CallDocument : Call {
  std::string project_id;
  json::Text attributes_json;
  json::Text inputs_json;
  std::optional<json::Text> output_json;
  json::Text summary_json;
  std::optional<std::string> username;
  std::optional<Timestamp> deleted_at;
  std::optional<std::int64_t> storage_size_bytes;
  std::optional<std::int64_t> total_storage_size_bytes;
};

}  // namespace

schema::Codec<json::Text> callViewCodec() {
  return schema::validatedJson(
      schema::Record<CallDocument>("Call")
          .required("id", &CallDocument::id, string())
          .required("project_id", &CallDocument::project_id, string(), "entity/project")
          .required("op_name", &CallDocument::op_name, string(), "A name, or a reference.")
          .required("display_name", &CallDocument::display_name, nullable(string()))
          .required("trace_id", &CallDocument::trace_id, string())
          .required("parent_id", &CallDocument::parent_id, nullable(string()), "Null: a root.")
          .required("thread_id", &CallDocument::thread_id, nullable(string()))
          .required("turn_id", &CallDocument::turn_id, nullable(string()))
          .required("started_at", &CallDocument::started_at, ifPresent(dateTime()))
          .required("attributes", &CallDocument::attributes_json, jsonObject())
          .required("inputs", &CallDocument::inputs_json, jsonObject())
          .required("ended_at", &CallDocument::ended_at, nullable(dateTime()), "Null: running.")
          .required("exception", &CallDocument::exception, nullable(string()))
          .required("output", &CallDocument::output_json, nullable(schema::anyJson()))
          .required("summary", &CallDocument::summary_json, jsonObject(),
                    "The stored summary; `svc` contains the derived members: status, latency_ms, "
                    "trace_name, costs, feedback.")
          .required("svc_user_id", &CallDocument::user_id, nullable(string()))
          .optional("svc_username", &CallDocument::username, nullable(string()),
                    "With include_usernames.")
          .required("svc_run_id", &CallDocument::run_id, nullable(string()))
          .required("svc_run_step", &CallDocument::run_step, nullable(integer()))
          .required("svc_run_step_end", &CallDocument::run_step_end, nullable(integer()))
          .required("deleted_at", &CallDocument::deleted_at, nullable(dateTime()), "Always null.")
          .required("expire_at", &CallDocument::expire_at, nullable(dateTime()),
                    "Time at which retention deletes the call.")
          .required("storage_size_bytes", &CallDocument::storage_size_bytes, nullable(integer()),
                    "With include_storage_size.")
          .required("total_storage_size_bytes", &CallDocument::total_storage_size_bytes,
                    nullable(integer()), "Size of the trace; only on its root.")
          .codec());
}

}  // namespace spindle::tracing
