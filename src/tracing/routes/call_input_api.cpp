#include "tracing/routes/call_input_api.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::tracing {

schema::Codec<std::string> callIdCodec() {
  return schema::describedAs(
      schema::string(),
      schema::string({.pattern = "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[!-@\\[-~]{16})$"}));
}

schema::Codec<std::string> displayNameCodec() {
  return schema::describedAs(schema::string(), schema::string({.max_length = 1024}));
}

namespace {

using schema::dateTime, schema::integer, schema::jsonObject, schema::nullable, schema::Record,
    schema::string;

/// A usage entry. Its typed members are all counts, which are validated and not read.
struct Usage {
  std::optional<std::int64_t> count;
};

enum class Outcome { kSuccess, kError, kRunning, kDescendantError };

/// The typed members of a summary; there may be others.
struct Summary {
  std::optional<schema::MapOf<Usage>> usage;
  std::optional<schema::MapOf<std::int64_t>> status_counts;
};

schema::Codec<Usage> usageCodec() {
  Record<Usage> record("TokenUsage");
  for (const auto& [name, doc] :
       {std::pair("prompt_tokens", ""), std::pair("input_tokens", "Added to prompt_tokens."),
        std::pair("completion_tokens", ""),
        std::pair("output_tokens", "Added to completion_tokens."), std::pair("requests", ""),
        std::pair("total_tokens", ""), std::pair("cache_creation_input_tokens", ""),
        std::pair("cache_read_input_tokens", "")}) {
    record.optional(name, &Usage::count, nullable(integer()), doc);
  }
  return record.codec();
}

schema::Codec<Outcome> outcomeCodec() {
  return schema::enumeration<Outcome>({{"success", Outcome::kSuccess},
                                       {"error", Outcome::kError},
                                       {"running", Outcome::kRunning},
                                       {"descendant_error", Outcome::kDescendantError}});
}

schema::Codec<json::Text> summaryCodec() {
  return schema::validatedJson(
      Record<Summary>("CallSummary")
          .optional("usage", &Summary::usage, schema::ifPresent(schema::map(usageCodec())),
                    "Tokens by model.")
          .optional("status_counts", &Summary::status_counts,
                    schema::ifPresent(schema::keyed(outcomeCodec(), schema::map(integer()))),
                    "Number of calls by status, of the call and its descendants.")
          .codec());
}

// The rules that tracing/ingest/call_ingest.cpp enforces, with 400.

schema::Codec<std::string> traceIdCodec() {
  return schema::describedAs(
      string(),
      string({.pattern = "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[!-@\\[-~]{32})$"}));
}

schema::Codec<std::string> opNameCodec() {
  return schema::described(string(), R"({"anyOf":[{"maxLength":128},{"pattern":"^[a-z-]+:///"}]})");
}

schema::Codec<std::int64_t> stepCodec() {
  return schema::describedAs(integer(), integer({.ge = 0}));
}

template <class T>
void addStart(Record<T>& record, bool complete) {
  if (complete) {
    // The ids are optional in the structure because a start may omit them; a complete call may not.
    record
        .required("id", &T::id, schema::ifPresent(callIdCodec()), "A UUID, or an OpenTelemetry id.")
        .required("trace_id", &T::trace_id, schema::ifPresent(traceIdCodec()));
  } else {
    record.optional("id", &T::id, nullable(callIdCodec()), "Default: generated.")
        .optional("trace_id", &T::trace_id, nullable(traceIdCodec()), "Default: generated.");
  }
  record.required("project_id", &T::project_id, identity::projectIdCodec(), "entity/project")
      .required("op_name", &T::op_name, opNameCodec(), "A plain name, or the reference of an op.")
      .optional("display_name", &T::display_name, nullable(displayNameCodec()))
      .optional("parent_id", &T::parent_id, nullable(callIdCodec()),
                "Null for the root of a trace.")
      .optional("thread_id", &T::thread_id, nullable(string()))
      .optional("turn_id", &T::turn_id, nullable(string()))
      .required("started_at", &T::started_at, dateTime())
      .required("attributes", &T::attributes, jsonObject())
      .required("inputs", &T::inputs, jsonObject())
      .optional("otel_dump", &T::otel_dump, nullable(jsonObject()))
      .optional("svc_user_id", &T::svc_user_id, nullable(string()), "Set by the server.")
      .optional("svc_run_id", &T::svc_run_id, nullable(string()), "entity/project/run")
      .optional("svc_run_step", &T::svc_run_step, nullable(stepCodec()));
}

template <class T>
Record<T>& addEnd(Record<T>& record) {
  return record.required("ended_at", &T::ended_at, dateTime())
      .optional("exception", &T::exception, nullable(string()))
      .optional("output", &T::output, nullable(schema::anyJson()))
      .required("summary", &T::summary, summaryCodec())
      .optional("svc_run_step_end", &T::svc_run_step_end, nullable(stepCodec()));
}

schema::Codec<StartInput> startInputCodec() {
  Record<StartInput> record("CallStartInput");
  addStart(record, false);
  return record.codec();
}

schema::Codec<EndInput> endInputCodec() {
  Record<EndInput> record = identity::projectRecord<EndInput>("CallEndInput");
  record.required("id", &EndInput::id, callIdCodec(), "The call that ends.")
      .optional("trace_id", &EndInput::trace_id, nullable(string()))
      .optional("is_eval", &EndInput::is_eval, nullable(schema::boolean()))
      .optional("started_at", &EndInput::started_at, nullable(dateTime()));
  return addEnd(record).codec();
}

template <class Item, class Body>
schema::Codec<Item> batchModeCodec(const std::string& name,
                                   const std::string& mode,
                                   const schema::Codec<Body>& body) {
  return Record<Item>(name)
      .optional("mode", &Item::mode, schema::describedAs(string(), schema::literal({mode})))
      .required("req", &Item::req, body)
      .codec();
}

}  // namespace

schema::Codec<StartBody> startBodyCodec() {
  return Record<StartBody>("CallStart")
      .required("start", &StartBody::start, startInputCodec())
      .codec();
}

schema::Codec<EndBody> endBodyCodec() {
  return Record<EndBody>("CallEnd").required("end", &EndBody::end, endInputCodec()).codec();
}

schema::Codec<UpsertBatchBody> upsertBatchCodec() {
  const auto start = batchModeCodec<BatchStart>("CallBatchStartMode", "start", startBodyCodec());
  const auto end = batchModeCodec<BatchEnd>("CallBatchEndMode", "end", endBodyCodec());
  return Record<UpsertBatchBody>("CallUpsertBatch")
      .required(
          "batch", &UpsertBatchBody::batch,
          schema::list(schema::anyOf(schema::Alternative<BatchStart>{"CallBatchStartMode", start},
                                     schema::Alternative<BatchEnd>{"CallBatchEndMode", end})),
          "Starts and ends in any order.")
      .codec();
}

schema::Codec<CompleteBatchBody> completeBatchCodec() {
  Record<CompleteInput> record("CompleteCall");
  addStart(record, true);
  return Record<CompleteBatchBody>("CompleteCalls")
      .required("batch", &CompleteBatchBody::batch, schema::list(addEnd(record).codec()))
      .codec();
}

}  // namespace spindle::tracing
