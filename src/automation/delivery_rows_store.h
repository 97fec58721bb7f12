#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "automation/automation.h"
#include "automation/delivery.h"
#include "base/result.h"
#include "storage/session.h"

namespace spindle::automation {

// What several repositories do to deliveries inside a transaction.

/// Whose deliveries.
enum class DeliveryOwner { kAutomation, kWebhook };

/// Ends those that wait for an attempt; what is under way goes on to its end.
Result<void> cancelWaiting(storage::Session& session,
                           DeliveryOwner owner,
                           std::string_view id,
                           const DeliveryError& reason,
                           Timestamp now);

/// Keeps the text of the template that an action sends by. @return its digest.
Result<std::string> keepTemplate(storage::Session& session, const Action& action, Timestamp now);

/// Says that automations have changed: whoever keeps them in memory reads them anew.
Result<void> noteAutomationChange(storage::Session& session);

}  // namespace spindle::automation
