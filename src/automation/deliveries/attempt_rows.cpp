#include "automation/deliveries/attempt_rows.h"

#include <utility>

#include "automation/rules/delivery_rows.h"

namespace spindle::automation {
namespace {

using storage::Row, storage::Session;

const WritableColumns<DeliveryAttempt>& attemptColumns() {
  static const WritableColumns<DeliveryAttempt> columns{
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

Result<void> insertAttempt(Session& session,
                           std::int64_t delivery,
                           const DeliveryAttempt& attempt) {
  ColumnValues row = attemptColumns().of(attempt);
  row.add({{"delivery", delivery}}).add(errorValues(attempt.error));
  if (attempt.response_headers) row.add({{"response_headers", attempt.response_headers->json}});
  TRY(session.execute(
      row.insertInto("delivery_attempts") + " ON CONFLICT (delivery, number) DO NOTHING",
      row.values()));
  return {};
}

Result<std::vector<DeliveryAttempt>> attemptsOf(Session& session, std::int64_t delivery) {
  return collectRows(session.query("SELECT " + attemptColumns().list() +
                                       ", response_headers, error_code, error_message FROM "
                                       "delivery_attempts WHERE delivery = ? ORDER BY number",
                                   {delivery}),
                     attemptAt);
}

}  // namespace spindle::automation
