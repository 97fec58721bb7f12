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

/// A delivery in API responses. Lists omit request and attempts.
struct DeliveryView : Delivery {
  DeliveryView() = default;
  explicit DeliveryView(const Delivery& delivery);
  explicit DeliveryView(const DeliveryRecord& record);

  std::string event_type_name;
  std::string status_name;
  std::string execution_status;
  std::optional<std::optional<DeliveryRequestView>> last_request;
  std::optional<std::vector<DeliveryAttempt>> attempts;
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
