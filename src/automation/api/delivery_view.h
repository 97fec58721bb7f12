#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "automation/api/delivery_service.h"
#include "automation/api/event_service.h"
#include "http/router/paging.h"
#include "schema/type.h"

namespace spindle::automation {

/// A delivery in API responses. Lists omit request and attempts.
struct DeliveryView : Delivery {
  DeliveryView() = default;
  explicit DeliveryView(Delivery delivery) : Delivery(std::move(delivery)) {}
  explicit DeliveryView(DeliveryRecord record)
      : Delivery(std::move(record.delivery)),
        last_request(std::in_place, request),
        attempts(std::move(record.attempts)) {}

  std::optional<std::optional<SentRequest>> last_request;
  std::optional<std::vector<DeliveryAttempt>> attempts;
};

/// An event in API responses. Lists omit its deliveries.
struct EventView : events::Event {
  EventView() = default;
  explicit EventView(events::Event event) : Event(std::move(event)) {}
  explicit EventView(EventRecord record)
      : Event(std::move(record.event)), delivery_ids(std::move(record.delivery_ids)) {}

  std::optional<std::vector<std::string>> delivery_ids;
};

/// Parses the page query of a list that is sorted by number.
/// @return kInvalidSchema for an invalid cursor.
Result<identity::PageRequest> numberedPageOf(const http::PageQuery& query);

schema::Codec<DeliveryError> deliveryErrorCodec();
schema::Codec<DeliveryView> deliveryCodec();
schema::Codec<EventView> eventViewCodec();

}  // namespace spindle::automation
