#include "automation/rules/delivery_rows.h"

#include <chrono>

#include "automation/payloads/payload_preset.h"
#include "base/crypto/crypto.h"

namespace spindle::automation {

using events::Event;

const storage::Columns<DeliveryHeader>& deliveryHeaderColumns() {
  static const storage::Columns<DeliveryHeader> columns{
      {"number", &DeliveryHeader::number},
      {"id", &DeliveryHeader::id},
      {"automation_id", &DeliveryHeader::automation_id},
      {"automation_name", &DeliveryHeader::automation_name}};
  return columns;
}

const WritableColumns<Event>& deliveryEventColumns() {
  static const WritableColumns<Event> columns{
      {"event_id", &Event::id},
      {"event_type", &Event::type, storedEventType, textOf},
      {"event_time", &Event::time},
      {"event_author", &Event::author},
      {"event_artifact", &Event::subject, &events::Subject::artifact_id},
      {"event_run", &Event::subject, &events::Subject::run_id},
      {"event_data", &Event::data}};
  return columns;
}

ColumnValues errorValues(const std::optional<DeliveryError>& error) {
  if (!error) return {{"error_code", std::nullopt}, {"error_message", std::nullopt}};
  return {{"error_code", error->code}, {"error_message", error->message}};
}

std::optional<DeliveryError> deliveryErrorAt(const storage::Row& row) {
  std::optional<std::string> code = row.optionalText("error_code");
  if (!code) return std::nullopt;
  return DeliveryError{*std::move(code), row.optionalText("error_message").value_or("")};
}

EventType storedEventType(std::string_view text) {
  return eventTypeOf(text).value_or(EventType::kCreateArtifact);
}

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
