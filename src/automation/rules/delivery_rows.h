#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "automation/rules/automation.h"
#include "automation/rules/delivery.h"
#include "base/core/result.h"
#include "storage/database/session.h"

namespace spindle::automation {

// Statements about deliveries that several repositories run inside a transaction.

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
