#pragma once

#include <string>
#include <string_view>

#include "automation/rules/sql_parts.h"
#include "automation/webhooks/delivery_schedule.h"
#include "automation/webhooks/webhook.h"
#include "base/core/result.h"
#include "storage/database/session.h"

namespace spindle::automation {

// Statements about webhooks that several repositories run inside a transaction.

const WritableColumns<WebhookSettings>& settingColumns();
/// Returns the columns of a webhook, without the health of its endpoint.
ColumnValues webhookValues(const Webhook& webhook);
/// Returns SELECT … FROM webhooks w …, without a condition.
const SqlText& selectWebhooks();
Webhook webhookAt(const storage::Row& row);

WebhookHealth healthAt(const storage::Row& row);
Result<void> setHealth(storage::Session& session, std::string_view id, const WebhookHealth& health);

/// Disables a webhook because of its endpoint's responses, and cancels its waiting deliveries.
Result<void> disableWebhook(storage::Session& session,
                            std::string_view id,
                            std::string_view reason,
                            Timestamp now);

}  // namespace spindle::automation
