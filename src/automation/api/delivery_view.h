#pragma once

#include <optional>
#include <string>
#include <vector>

#include "automation/api/delivery_service.h"
#include "automation/api/event_service.h"
#include "base/core/time.h"
#include "http/router/paging.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::automation {

struct DeliveryRequestView {
  json::Text headers;
  std::string body;
  std::string body_sha256;
};

struct DeliveryAttemptView {
  explicit DeliveryAttemptView(const DeliveryAttempt& attempt);
  DeliveryAttemptView() = default;

  std::string id;
  std::int64_t number = 0;
  Timestamp started_at;
  std::int64_t duration_ms = 0;
  std::optional<std::string> remote_ip;
  std::optional<std::int64_t> response_status;
  std::optional<json::Text> response_headers;
  std::optional<std::string> response_body;
  bool truncated = false;
  std::optional<DeliveryError> error;
};

/// A delivery in API responses. Lists omit request and attempts.
struct DeliveryView {
  DeliveryView() = default;
  explicit DeliveryView(const Delivery& delivery);
  explicit DeliveryView(const DeliveryRecord& record);

  std::string id;
  std::string automation_id;
  std::string automation_name;
  std::string event_id;
  std::string event_type;
  std::optional<std::string> webhook_id;
  std::optional<std::string> url;
  std::string status;
  std::string execution_status;
  std::int64_t attempt_count = 0;
  std::optional<Timestamp> next_attempt_at;
  Timestamp created_at;
  std::optional<Timestamp> finished_at;
  std::optional<DeliveryError> last_error;
  std::optional<std::string> replay_of;
  std::optional<std::optional<DeliveryRequestView>> request;
  std::optional<std::vector<DeliveryAttemptView>> attempts;
};

struct EventSubjectView {
  std::optional<std::string> team_id;
  std::optional<std::string> project_id;
  std::optional<std::string> registry_id;
  std::optional<std::string> collection_id;
  std::optional<std::string> artifact_id;
  std::optional<std::string> run_id;
};

/// An event in API responses. Lists omit its deliveries.
struct EventView {
  EventView() = default;
  explicit EventView(const events::Event& event);
  explicit EventView(const EventRecord& record);

  std::string id;
  std::string type;
  Timestamp time;
  std::optional<std::string> author;
  EventSubjectView subject;
  json::Text data;
  std::optional<std::vector<std::string>> delivery_ids;
};

/// Parses the page query of a list that is sorted by number.
/// @return kInvalidSchema for an invalid cursor.
Result<identity::PageRequest> numberedPageOf(const http::PageQuery& query);

schema::Codec<DeliveryView> deliveryCodec();
schema::Codec<EventView> eventViewCodec();

}  // namespace spindle::automation
