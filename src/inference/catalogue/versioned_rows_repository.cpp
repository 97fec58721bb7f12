#include "inference/catalogue/versioned_rows_repository.h"

#include <optional>

namespace spindle::inference {

Result<void> insertNew(storage::Session& session,
                       const SqlText& insert,
                       const storage::Params& params,
                       const Error& taken) {
  const std::int64_t inserted = TRY(session.execute(insert, params));
  if (inserted == 0) return taken;
  return {};
}

Result<void> incrementRevision(storage::Session& session, std::string_view name) {
  TRY(session.execute("UPDATE inference_revisions SET revision = revision + 1 WHERE name = ?",
                      {name}));
  return {};
}

Result<std::int64_t> readRevision(storage::Session& session, std::string_view name) {
  const std::optional<storage::Row> row =
      TRY(session.queryOne("SELECT revision FROM inference_revisions WHERE name = ?", {name}));
  return row.has_value() ? row->integer("revision") : 0;
}

}  // namespace spindle::inference
