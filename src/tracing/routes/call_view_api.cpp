#include "tracing/routes/call_view_api.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
  std::optional<json::Text> exception_json;
};

struct PageEnd {
  std::optional<std::string> next_cursor;
};

struct CallList {
  std::vector<std::variant<json::Text, json::Text>> calls;
  std::optional<std::string> next_cursor;
};

constexpr std::string_view kCursorText = "`cursor` of the next page; null on the last page.";

schema::Codec<json::Text> listedCallCodec() {
  using C = CallDocument;
  constexpr std::string_view kPreview =
      "With preview_bytes, a larger value is {\"preview\": <its first bytes as a text>, \"bytes\": "
      "<its size>}.";
  const auto payload = schema::anyJson();
  schema::Record<C> record("ListedCall");
  record.required("id", &C::id, string());
  record.optional("project_id", &C::project_id, string(), "entity/project")
      .optional("op_name", &C::op_name, string(), "A name, or a reference.")
      .optional("display_name", &C::display_name, nullable(string()))
      .optional("trace_id", &C::trace_id, string())
      .optional("parent_id", &C::parent_id, nullable(string()), "Null: a root.")
      .optional("thread_id", &C::thread_id, nullable(string()))
      .optional("turn_id", &C::turn_id, nullable(string()))
      .optional("started_at", &C::started_at, ifPresent(dateTime()))
      .optional("attributes", &C::attributes_json, jsonObject(), kPreview)
      .optional("inputs", &C::inputs_json, payload, kPreview)
      .optional("ended_at", &C::ended_at, nullable(dateTime()), "Null: running.")
      .optional("exception", &C::exception_json, nullable(payload), kPreview)
      .optional("output", &C::output_json, nullable(payload), kPreview)
      .optional("summary", &C::summary_json, jsonObject(),
                "As of a call. A preview also has `usage` and `svc`.")
      .optional("svc_user_id", &C::user_id, nullable(string()))
      .optional("svc_username", &C::username, nullable(string()), "With include_usernames.")
      .optional("svc_run_id", &C::run_id, nullable(string()))
      .optional("svc_run_step", &C::run_step, nullable(integer()))
      .optional("svc_run_step_end", &C::run_step_end, nullable(integer()))
      .optional("deleted_at", &C::deleted_at, nullable(dateTime()), "Always null.")
      .optional("expire_at", &C::expire_at, nullable(dateTime()))
      .optional("storage_size_bytes", &C::storage_size_bytes, nullable(integer()))
      .optional("total_storage_size_bytes", &C::total_storage_size_bytes, nullable(integer()));
  return schema::validatedJson(record.codec());
}

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

schema::TypePtr callLineType() {
  const schema::Codec<PageEnd> end =
      schema::Record<PageEnd>("CallPageEnd")
          .required("next_cursor", &PageEnd::next_cursor, nullable(string()), kCursorText)
          .codec();
  return schema::anyOf(schema::Alternative<json::Text>{"call", callViewCodec()},
                       schema::Alternative<json::Text>{"listed_call", listedCallCodec()},
                       schema::Alternative<PageEnd>{"end", end})
      .type();
}

schema::TypePtr callListType() {
  const auto call =
      schema::anyOf(schema::Alternative<json::Text>{"call", callViewCodec()},
                    schema::Alternative<json::Text>{"listed_call", listedCallCodec()});
  return schema::Record<CallList>("CallList")
      .required("calls", &CallList::calls, schema::list(call))
      .optional("next_cursor", &CallList::next_cursor, nullable(string()), kCursorText)
      .codec()
      .type();
}

}  // namespace spindle::tracing
