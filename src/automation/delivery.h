#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automation/scope.h"
#include "base/time.h"
#include "events/event.h"

namespace spindle::automation {

enum class DeliveryStatus {
  kPending,
  kInFlight,  ///< under a lease
  kRetrying,  ///< waits for its next attempt
  kSucceeded,
  kFailed,     ///< for good
  kCancelled,  ///< by a person, or because automation or webhook are gone or switched off
  kSkipped,    ///< there were too many of its automation
};

/// `pending`, `in_flight`, `retrying`, `succeeded`, `failed`, `cancelled`, `skipped`.
std::string_view textOf(DeliveryStatus status);
std::optional<DeliveryStatus> deliveryStatusOf(std::string_view text);
/// `PENDING`, `FINISHED` or `FAILED`.
std::string_view executionStatusOf(DeliveryStatus status);
bool isFinished(DeliveryStatus status);

struct DeliveryError {
  std::string code;
  std::string message;
};

/// A request as it is kept: credentials masked, headers as a JSON object.
struct SentRequest {
  std::string url;
  std::string headers;
  std::string body;
  std::string body_sha256;  ///< of what was really sent
};

/// One event on its way to one endpoint, or what has become of it.
struct Delivery {
  std::int64_t number = 0;  ///< its place among all
  std::string id;           ///< `dlv_…`
  std::string automation_id;
  std::string automation_name;
  Scope scope;  ///< of the automation at that time
  std::string event_id;
  events::EventType event_type = events::EventType::kCreateArtifact;
  std::optional<std::string> webhook_id;  ///< unset: nothing is sent
  std::optional<std::string> url;
  std::string webhook_team;  ///< name; empty when the webhook is gone
  DeliveryStatus status = DeliveryStatus::kPending;
  std::int64_t attempt_count = 0;
  std::optional<Timestamp> next_attempt_at;
  Timestamp created_at;
  std::optional<Timestamp> finished_at;
  std::optional<DeliveryError> last_error;
  std::optional<std::string> replay_of;
  std::optional<SentRequest> request;  ///< the last one, for a week
};

struct DeliveryAttempt {
  std::string id;  ///< `att_…`
  std::int64_t number = 0;
  Timestamp started_at;
  std::int64_t duration_ms = 0;
  std::optional<std::string> remote_ip;
  std::optional<std::int64_t> response_status;
  std::optional<std::string> response_headers;  ///< a JSON object; for a week
  std::optional<std::string> response_body;     ///< for a week
  bool truncated = false;
  std::optional<DeliveryError> error;
};

/// Which deliveries a list shows; what is not set does not matter.
struct DeliveryFilter {
  std::optional<std::string> automation_id = {};
  std::optional<std::string> webhook_id = {};
  std::optional<DeliveryStatus> status = {};
  std::optional<Timestamp> since = {};
  std::optional<Timestamp> until = {};
};

/// Where a page of a list in the order of numbers begins: before this number. Nothing for a text
/// that no such page ended with.
std::optional<std::int64_t> positionOf(std::string_view page_end);

}  // namespace spindle::automation
