#pragma once

#include <cstdint>
#include <vector>

#include "automation/rules/delivery.h"
#include "base/core/result.h"
#include "storage/database/session.h"

namespace spindle::automation {

// Statements about attempts that several repositories run inside a transaction.

/// Inserts an attempt, unless the delivery has an attempt with this number.
Result<void> insertAttempt(storage::Session& session,
                           std::int64_t delivery,
                           const DeliveryAttempt& attempt);

/// Returns the attempts of a delivery in order.
Result<std::vector<DeliveryAttempt>> attemptsOf(storage::Session& session, std::int64_t delivery);

}  // namespace spindle::automation
