#include "inference/adapters/adapter_quarantine_repository.h"

#include <optional>

#include "identity/audit/audit_trail.h"
#include "storage/database/database.h"

namespace spindle::inference {

Result<void> AdapterQuarantineRepository::add(const AdapterCrash& crash) {
  return database_.write([&](storage::Session& session) -> Result<void> {
    TRY(session.execute(
        "INSERT INTO inference_quarantined_adapters (id, artifact, model, reason, created_at) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET artifact = excluded.artifact, "
        "model = excluded.model, reason = excluded.reason, created_at = excluded.created_at",
        {crash.adapter.name, crash.adapter.artifact, crash.model, crash.reason, clock_.now()}));
    return {};
  });
}

Result<bool> AdapterQuarantineRepository::contains(std::string_view id) {
  return database_.read([&](storage::Session& session) -> Result<bool> {
    const std::optional<storage::Row> row =
        TRY(session.queryOne("SELECT id FROM inference_quarantined_adapters WHERE id = ?", {id}));
    return row.has_value();
  });
}

Result<std::vector<QuarantinedAdapter>> AdapterQuarantineRepository::list() {
  return database_.read([](storage::Session& session) {
    return collectRows(
        session.query(
            "SELECT id, artifact, model, reason, created_at FROM inference_quarantined_adapters "
            "ORDER BY created_at DESC, id LIMIT 1000"),
        [](const storage::Row& row) {
          return QuarantinedAdapter{.id = row.text("id"),
                                    .artifact = row.text("artifact"),
                                    .model = row.text("model"),
                                    .reason = row.text("reason"),
                                    .created_at = row.time("created_at")};
        });
  });
}

Result<void> AdapterQuarantineRepository::remove(std::string_view id) {
  return database_.write([&](storage::Session& session) -> Result<void> {
    const std::int64_t removed =
        TRY(session.execute("DELETE FROM inference_quarantined_adapters WHERE id = ?", {id}));
    if (removed == 0) return Error::notFound("This adapter is not quarantined.");
    return identity::recordChange(
        session, {.action = "quarantined_adapter.release", .target_id = id}, clock_.now());
  });
}

}  // namespace spindle::inference
