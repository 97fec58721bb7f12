#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/rules/scope.h"
#include "base/core/time.h"
#include "events/event.h"
#include "json/writer.h"

namespace spindle::automation {

enum class DeliveryStatus {
  kPending,
  kInFlight,  ///< leased by a worker
  kRetrying,  ///< waiting for its next attempt
  kSucceeded,
  kFailed,     ///< permanently
  kCancelled,  ///< by a user, or because the automation or webhook was deleted or disabled
  kSkipped,    ///< its automation exceeded the rate limit
};

/// The names of the states, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> kDeliveryStatusNames = {
    "pending", "in_flight", "retrying", "succeeded", "failed", "cancelled", "skipped"};

std::string_view textOf(DeliveryStatus status);
std::optional<DeliveryStatus> deliveryStatusOf(std::string_view text);
/// Returns `PENDING`, `FINISHED` or `FAILED`.
std::string_view executionStatusOf(DeliveryStatus status);
bool isFinished(DeliveryStatus status);

struct DeliveryError {
  std::string code;
  std::string message;
};

/// A request as stored: credentials masked, headers as a JSON object.
struct SentRequest {
  std::string url;
  std::string headers;
  std::string body;
  std::string body_sha256;  ///< of the body that was sent
};

/// The identity of a delivery, and the automation that created it.
struct DeliveryHeader {
  std::int64_t number = 0;  ///< position in the sequence of all deliveries
  std::string id;           ///< `dlv_…`
  std::string automation_id;
  std::string automation_name;  ///< when the delivery was created
};

/// One webhook message for one event and one automation, with its state.
struct Delivery : DeliveryHeader {
  Scope scope;  ///< of the automation when the delivery was created
  std::string event_id;
  events::EventType event_type = events::EventType::kCreateArtifact;
  std::optional<std::string> webhook_id;  ///< unset: the delivery sends nothing
  std::optional<std::string> url;
  std::string webhook_team;  ///< name; empty if the webhook was deleted
  DeliveryStatus status = DeliveryStatus::kPending;
  std::int64_t attempt_count = 0;
  std::optional<Timestamp> next_attempt_at;
  Timestamp created_at;
  std::optional<Timestamp> finished_at;
  std::optional<DeliveryError> last_error;
  std::optional<std::string> replay_of;
  std::optional<SentRequest> request;  ///< the last one, stored for 7 days
};

struct DeliveryAttempt {
  std::string id;  ///< `att_…`
  std::int64_t number = 0;
  Timestamp started_at;
  std::int64_t duration_ms = 0;
  std::optional<std::string> remote_ip;
  std::optional<std::int64_t> response_status;
  std::optional<json::Text> response_headers;  ///< an object; stored for 7 days
  std::optional<std::string> response_body;    ///< stored for 7 days
  bool truncated = false;
  std::optional<DeliveryError> error;
};

/// Filter of a list of deliveries. Unset members match everything.
struct DeliveryFilter {
  std::optional<std::string> team_id = {};  ///< team of the automation's scope or of the webhook
  std::optional<std::string> automation_id = {};
  std::optional<std::string> webhook_id = {};
  std::optional<DeliveryStatus> status = {};
  std::optional<Timestamp> since = {};
  std::optional<Timestamp> until = {};
};

/// Parses the cursor of a list that is sorted by number: the page starts before the returned
/// number. Returns nothing for an invalid cursor.
std::optional<std::int64_t> positionOf(std::string_view page_end);

}  // namespace spindle::automation
