#include "automation/api/delivery_view.h"

#include "automation/api/shown_as.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::automation {
namespace {

using schema::Codec, schema::dateTime, schema::ifPresent, schema::integer, schema::nullable,
    schema::Record, schema::string;

std::optional<std::string> present(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<std::string> artifactId(const std::optional<std::int64_t>& number) {
  return number ? std::optional("art_" + std::to_string(*number)) : std::nullopt;
}
json::Text storedJson(const std::string& text) { return json::Text{text}; }
std::string executionOf(const DeliveryStatus& status) {
  return std::string(executionStatusOf(status));
}

Codec<events::Subject> subjectCodec() {
  using events::Subject;
  Record<Subject> record("EventSubject");
  const auto id = shownAs(nullable(string()), present);
  for (const auto& [name, member] :
       {std::pair("team_id", &Subject::team_id), std::pair("project_id", &Subject::project_id),
        std::pair("registry_id", &Subject::registry_id),
        std::pair("collection_id", &Subject::collection_id)}) {
    record.required(name, member, id, "");
  }
  return record
      .required("artifact_id", &Subject::artifact_id, shownAs(nullable(string()), artifactId),
                "For example `art_7`.")
      .required("run_id", &Subject::run_id, id, "Id of the run in the project.")
      .codec();
}

}  // namespace

Result<identity::PageRequest> numberedPageOf(const http::PageQuery& query) {
  std::string after = TRY(http::decodeCursor(query.cursor));
  if (!positionOf(after)) return http::invalidCursor(query.cursor);
  identity::PageRequest request;
  request.limit = static_cast<int>(query.limit);
  request.after = std::move(after);
  return request;
}

Codec<DeliveryError> deliveryErrorCodec() {
  return Record<DeliveryError>("DeliveryError")
      .required("code", &DeliveryError::code, string(), "A code for programs.")
      .required("message", &DeliveryError::message, string())
      .codec();
}

Codec<DeliveryView> deliveryCodec() {
  const Codec<DeliveryError> error = deliveryErrorCodec();
  const auto request =
      Record<SentRequest>("DeliveryRequest")
          .required("headers", &SentRequest::headers, shownAs(schema::jsonObject(), storedJson),
                    "Credentials show as `***`.")
          .required("body", &SentRequest::body, string(),
                    "Credentials show as `***`; kept for 7 days.")
          .required("body_sha256", &SentRequest::body_sha256, string(),
                    "SHA-256 of the sent body, in hexadecimal.")
          .codec();
  using A = DeliveryAttempt;
  const auto attempt =
      Record<A>("DeliveryAttempt")
          .required("id", &A::id, string(), "Assigned by the server.")
          .required("number", &A::number, integer(), "Attempt number, starting at 1.")
          .required("started_at", &A::started_at, dateTime())
          .required("duration_ms", &A::duration_ms, integer())
          .required("remote_ip", &A::remote_ip, nullable(string()), "IP address of the endpoint.")
          .required("response_status", &A::response_status, nullable(integer()))
          .required("response_headers", &A::response_headers, nullable(schema::jsonObject()),
                    "The first 8 KiB, for 7 days.")
          .required("response_body", &A::response_body, nullable(string()),
                    "The first 16 KiB, for 7 days.")
          .required("truncated", &A::truncated, schema::boolean(), "The stored body is incomplete.")
          .required("error", &A::error, nullable(error), "Why there is no response.")
          .codec();
  using View = DeliveryView;
  return Record<View>("Delivery")
      .required("id", &View::id, string(), "Also the `Webhook-Id` of every attempt.")
      .required("automation_id", &View::automation_id, string())
      .required("automation_name", &View::automation_name, string(),
                "Name when the delivery was created.")
      .required("event_id", &View::event_id, string())
      .required("event_type", &View::event_type, shownAs(string(), nameOf<events::EventType>))
      .required("webhook_id", &View::webhook_id, nullable(string()),
                "Null if the delivery sends nothing.")
      .required("url", &View::url, nullable(string()),
                "Endpoint URL; only the host for users who do not manage the webhook.")
      .required("status", &View::status, shownAs(string(), nameOf<DeliveryStatus>),
                "`pending`, `in_flight`, `retrying`, `succeeded`, `failed`, `cancelled` or "
                "`skipped`.")
      .required("execution_status", &View::status, shownAs(string(), executionOf),
                "`PENDING`, `FINISHED` or `FAILED`.")
      .required("attempt_count", &View::attempt_count, integer())
      .required("next_attempt_at", &View::next_attempt_at, nullable(dateTime()))
      .required("created_at", &View::created_at, dateTime())
      .required("finished_at", &View::finished_at, nullable(dateTime()))
      .required("last_error", &View::last_error, nullable(error))
      .required("replay_of", &View::replay_of, nullable(string()),
                "Id of the delivery that this one replays with mode `current`.")
      .optional("request", &View::last_request, ifPresent(nullable(request)),
                "The last request; only for a single delivery.")
      .optional("attempts", &View::attempts, ifPresent(schema::list(attempt)),
                "Only for a single delivery.")
      .codec();
}

Codec<EventView> eventViewCodec() {
  using View = EventView;
  return Record<View>("Event")
      .required("id", &View::id, string())
      .required("type", &View::type, shownAs(string(), nameOf<events::EventType>),
                "For example `LINK_ARTIFACT`.")
      .required("time", &View::time, dateTime())
      .required("author", &View::author, shownAs(nullable(string()), present),
                "Username; null: the server itself.")
      .required("subject", &View::subject, subjectCodec(), "The resources that the event is about.")
      .required("data", &View::data, shownAs(schema::jsonObject(), storedJson),
                "The values of payload variables.")
      .optional("delivery_ids", &View::delivery_ids, ifPresent(schema::list(string())),
                "Ids of its deliveries; only for a single event.")
      .codec();
}

}  // namespace spindle::automation
