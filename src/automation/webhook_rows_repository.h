#pragma once

#include <string>
#include <string_view>

#include "automation/delivery_schedule.h"
#include "automation/webhook.h"
#include "base/result.h"
#include "storage/session.h"

namespace spindle::automation {

// What several repositories do to webhooks inside a transaction.

/// SELECT … FROM webhooks w …, up to the condition.
const SqlText& selectWebhooks();
Webhook webhookAt(const storage::Row& row);

WebhookHealth healthAt(const storage::Row& row);
Result<void> setHealth(storage::Session& session, std::string_view id, const WebhookHealth& health);

/// Switches an endpoint off on its own account, with everything that waits for it.
Result<void> disableWebhook(storage::Session& session,
                            std::string_view id,
                            std::string_view reason,
                            Timestamp now);

}  // namespace spindle::automation
