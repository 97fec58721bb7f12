#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/catalogue.h"
#include "storage/session.h"

namespace spindle::inference {

// What several statements of the catalogue share, inside a transaction.

Upstream upstreamAt(const storage::Row& row);

/// The models that `condition` leaves of `inference_models m`, with all that belongs to them.
Result<std::vector<Model>> readModels(storage::Session& session,
                                      SqlView condition,
                                      const storage::Params& params);

/// Replaces what a model has in the other tables. @return kInvalidSchema for an upstream or a
/// fallback that does not exist, and for fallbacks that lead back to the model.
Result<void> writeTargets(storage::Session& session, const Model& model);
Result<void> writeFallbacks(storage::Session& session, const Model& model);
Result<void> writeTeams(storage::Session& session, const Model& model);

/// Says that something has changed: `catalogue` or `limits`.
Result<void> countRevision(storage::Session& session, std::string_view name);
Result<std::int64_t> readRevision(storage::Session& session, std::string_view name);

}  // namespace spindle::inference
