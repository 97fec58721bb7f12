#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "automation/rules/automation.h"
#include "automation/rules/delivery.h"
#include "automation/rules/sql_parts.h"
#include "base/core/result.h"
#include "storage/database/session.h"

namespace spindle::automation {

// Statements about deliveries that several repositories run inside a transaction.

const storage::Columns<DeliveryHeader>& deliveryHeaderColumns();
/// The columns of a delivery that contain its event, as far as templates and filters need it.
const WritableColumns<events::Event>& deliveryEventColumns();
/// Returns `error_code` and `error_message`.
ColumnValues errorValues(const std::optional<DeliveryError>& error);
std::optional<DeliveryError> deliveryErrorAt(const storage::Row& row);
/// Parses a stored event type.
events::EventType storedEventType(std::string_view text);

/// The owner whose deliveries are meant.
enum class DeliveryOwner { kAutomation, kWebhook };

/// Cancels the deliveries that wait for an attempt. Running attempts continue.
Result<void> cancelWaiting(storage::Session& session,
                           DeliveryOwner owner,
                           std::string_view id,
                           const DeliveryError& reason,
                           Timestamp now);

/// Stores the template text of an action. @return its digest.
Result<std::string> storeTemplate(storage::Session& session, const Action& action, Timestamp now);

/// Records that automations have changed, so that in-memory copies are reloaded.
Result<void> recordAutomationChange(storage::Session& session);

}  // namespace spindle::automation
