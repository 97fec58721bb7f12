#include "automation/rules/delivery_rows.h"

#include <chrono>

#include "automation/payloads/payload_preset.h"
#include "base/crypto/crypto.h"

namespace spindle::automation {

Result<void> cancelWaiting(storage::Session& session,
                           DeliveryOwner owner,
                           std::string_view id,
                           const DeliveryError& reason,
                           Timestamp now) {
  const bool of_webhook = owner == DeliveryOwner::kWebhook;
  const SqlName column = of_webhook ? SqlName("webhook_id") : SqlName("automation_id");
  TRY(session.execute(
      "UPDATE deliveries SET status = ?, due_at = NULL, finished_at = ?, error_code = ?, "
      "error_message = ? WHERE " +
          SqlText(column) + " = ? AND due_at IS NOT NULL AND status <> ?",
      {textOf(DeliveryStatus::kCancelled), now, reason.code, reason.message, id,
       textOf(DeliveryStatus::kInFlight)}));
  return {};
}

Result<std::string> storeTemplate(storage::Session& session, const Action& action, Timestamp now) {
  const std::string text = action.payload ? *action.payload : std::string(defaultPayload());
  std::string digest = toHex(sha256(text));
  const auto today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  TRY(
      session.execute("INSERT INTO payload_templates (digest, text, used_on) VALUES (?, ?, ?) "
                      "ON CONFLICT (digest) DO UPDATE SET used_on = excluded.used_on "
                      "WHERE payload_templates.used_on <> excluded.used_on",
                      {digest, text, today}));
  return digest;
}

Result<void> recordAutomationChange(storage::Session& session) {
  TRY(session.execute("UPDATE delivery_state SET generation = generation + 1 WHERE id = 1"));
  return {};
}

}  // namespace spindle::automation
