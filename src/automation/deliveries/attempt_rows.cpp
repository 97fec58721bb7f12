#include "automation/deliveries/attempt_rows.h"

#include <utility>

#include "storage/database/columns.h"

namespace spindle::automation {
namespace {

using storage::Row, storage::Rows, storage::Session, storage::Value;

const storage::Columns<DeliveryAttempt>& attemptColumns() {
  static const storage::Columns<DeliveryAttempt> columns{
      {"id", &DeliveryAttempt::id},
      {"number", &DeliveryAttempt::number},
      {"started_at", &DeliveryAttempt::started_at},
      {"duration_ms", &DeliveryAttempt::duration_ms},
      {"remote_ip", &DeliveryAttempt::remote_ip},
      {"response_status", &DeliveryAttempt::response_status},
      {"response_body", &DeliveryAttempt::response_body},
      {"truncated", &DeliveryAttempt::truncated}};
  return columns;
}

DeliveryAttempt attemptAt(const Row& row) {
  DeliveryAttempt attempt = attemptColumns().read(row);
  if (std::optional<std::string> headers = row.optionalText("response_headers")) {
    attempt.response_headers = json::Text{*std::move(headers)};
  }
  attempt.error = deliveryErrorAt(row);
  return attempt;
}

}  // namespace

std::optional<DeliveryError> deliveryErrorAt(const Row& row) {
  std::optional<std::string> code = row.optionalText("error_code");
  if (!code) return std::nullopt;
  return DeliveryError{*std::move(code), row.optionalText("error_message").value_or("")};
}

Result<void> insertAttempt(Session& session,
                           std::int64_t delivery,
                           const DeliveryAttempt& attempt) {
  Value headers;
  Value error_code;
  Value error_message;
  if (attempt.response_headers) headers = Value(attempt.response_headers->json);
  if (attempt.error) {
    error_code = Value(attempt.error->code);
    error_message = Value(attempt.error->message);
  }
  TRY(session.execute(
      attemptColumns().insertInto("delivery_attempts",
                                  {"delivery", "response_headers", "error_code", "error_message"}) +
          " ON CONFLICT (delivery, number) DO NOTHING",
      attemptColumns().valuesOf(attempt, {delivery, headers, error_code, error_message})));
  return {};
}

Result<std::vector<DeliveryAttempt>> attemptsOf(Session& session, std::int64_t delivery) {
  const Rows rows = TRY(session.query("SELECT " + attemptColumns().list() +
                                          ", response_headers, error_code, error_message FROM "
                                          "delivery_attempts WHERE delivery = ? ORDER BY number",
                                      {delivery}));
  std::vector<DeliveryAttempt> attempts;
  attempts.reserve(rows.size());
  for (const Row& row : rows) attempts.push_back(attemptAt(row));
  return attempts;
}

}  // namespace spindle::automation
