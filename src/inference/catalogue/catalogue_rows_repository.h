#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "identity/store/row_version.h"
#include "inference/catalogue/catalogue.h"
#include "storage/database/columns.h"
#include "storage/database/session.h"

namespace spindle::inference {

// SQL helpers of the catalogue repository; all run inside the caller's transaction.

/// The name of the catalogue's revision. See incrementRevision().
inline constexpr std::string_view kCatalogueRevision = "catalogue";

/// The columns of `inference_models` and `inference_upstreams`, except those that are converted:
/// `abilities`; `connect_ms`, `first_token_ms`, `idle_ms`, `adapters` and `sealed`.
const storage::Columns<Model>& modelColumns();
const storage::Columns<Upstream>& upstreamColumns();

Upstream upstreamAt(const storage::Row& row);

/// Reads the models of `inference_models m` that match `condition`, with their targets, fallbacks
/// and teams.
Result<std::vector<Model>> readModels(storage::Session& session,
                                      SqlView condition,
                                      const storage::Params& params);

/// Replaces the rows of a model in the other tables. @return kInvalidSchema for an upstream or a
/// fallback that does not exist, and for a cycle of fallbacks.
Result<void> writeTargets(storage::Session& session, const Model& model);
Result<void> writeFallbacks(storage::Session& session, const Model& model);
Result<void> writeTeams(storage::Session& session, const Model& model);

/// A table of the catalogue, and the rows of models that refer to its rows.
struct CatalogueReferences {
  SqlName table;
  SqlName references;              ///< table with a `model_id`
  SqlName reference_column;        ///< column of that table with the id
  std::string_view missing;        ///< error message for an unknown name
  std::string_view in_use;         ///< start of the error message, before the names of the models
  std::string_view reason;         ///< of the error
  std::string_view delete_action;  ///< in the audit log
};
inline constexpr CatalogueReferences kModelReferences = {
    "inference_models", "inference_fallbacks",           "fallback_id",
    "Model not found",  "Models fall back to this one:", "model_in_use",
    "model.delete"};
inline constexpr CatalogueReferences kUpstreamReferences = {
    "inference_upstreams",       "inference_targets", "upstream_id",    "Upstream not found",
    "Models use this upstream:", "upstream_in_use",   "upstream.delete"};

/// Deletes the row of a name and increments the revision. @return kNotFound, kPreconditionFailed;
/// kConflict if models refer to the row, unless `force` is true.
Result<void> removeRow(storage::Session& session,
                       const CatalogueReferences& of,
                       std::string_view name,
                       bool force,
                       identity::IfVersion if_version,
                       Timestamp now);

}  // namespace spindle::inference
