#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "inference/catalogue/catalogue.h"
#include "storage/database/session.h"

namespace spindle::inference {

// SQL helpers of the catalogue repository; all run inside the caller's transaction.

/// The name of the catalogue's revision. See incrementRevision().
inline constexpr std::string_view kCatalogueRevision = "catalogue";
/// Maximum number of models that an error message lists.
inline constexpr int kUsersNamed = 20;

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

/// Increments the revision of `catalogue` or `limits`.
Result<void> incrementRevision(storage::Session& session, std::string_view name);
Result<std::int64_t> readRevision(storage::Session& session, std::string_view name);

}  // namespace spindle::inference
