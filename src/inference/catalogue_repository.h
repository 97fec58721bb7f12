#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "base/sealer.h"
#include "base/time.h"
#include "identity/page.h"
#include "identity/row_version.h"
#include "inference/catalogue.h"
#include "inference/model_directory.h"

namespace spindle::storage {
class Database;
class Session;
}  // namespace spindle::storage

namespace spindle::inference {

/// What to change; what is not set stays.
struct UpstreamChange {
  std::optional<std::string> url = {};
  std::optional<Secret> key = {};  ///< an empty one takes it away
  std::optional<std::chrono::milliseconds> connect = {};
  std::optional<std::chrono::milliseconds> first_token = {};
  std::optional<std::chrono::milliseconds> idle = {};
  std::optional<bool> stream_usage = {};
  std::optional<std::string> health_path = {};
};

/// What to change; what is not set stays. A model without a file loses the engine as a target.
struct ModelChange {
  std::optional<std::string> file = {};  ///< empty: none
  std::optional<std::int64_t> context = {};
  std::optional<bool> start_at_boot = {};
  std::optional<std::string> owned_by = {};
  std::optional<std::vector<Ability>> abilities = {};
  std::optional<std::vector<Target>> targets = {};
  std::optional<std::vector<std::string>> fallbacks = {};
  std::optional<std::vector<std::string>> teams = {};
  std::optional<std::int64_t> max_output_tokens = {};
};

/// Models and upstreams. Their names never change. Every change counts the revision up in its own
/// transaction, so that who keeps the catalogue in memory can tell. The keys of upstreams are
/// sealed at rest (AES-256-GCM, bound to the upstream) and leave by load() alone.
///
/// Targets go in with the upstream's name (the id is found) and come out with both; names of models
/// and addresses have been checked by the caller. Thread-safe; calls block on the database and may
/// also return kUnavailable.
class CatalogueRepository {
 public:
  static constexpr std::int64_t kFirstRevision = 1;  ///< nobody changed anything yet

  /// `key` is derived from the server's secret key for this purpose alone.
  CatalogueRepository(storage::Database& database, const Clock& clock, const Sha256& key)
      : database_(database), clock_(clock), sealer_(key) {}

  /// An empty key: the upstream asks for none. @return kConflict (`upstream_name_taken`).
  Result<Upstream> insertUpstream(const Upstream& upstream, const Secret& key);
  /// @return kNotFound.
  Result<Upstream> findUpstream(std::string_view name);
  /// Newest first.
  Result<identity::Page<Upstream>> listUpstreams(const identity::PageRequest& page);
  /// @return kNotFound, kPreconditionFailed.
  Result<Upstream> updateUpstream(std::string_view name,
                                  const UpstreamChange& change,
                                  identity::IfVersion if_version = {});
  /// By force also from under the models it is a target of; one that has no other is then left with
  /// its fallbacks. @return kNotFound, kPreconditionFailed, kConflict (`upstream_in_use`).
  Result<void> removeUpstream(std::string_view name,
                              bool force,
                              identity::IfVersion if_version = {});
  /// The key of one upstream in the clear, empty for none. @return kNotFound, kUnprocessable when
  /// it cannot be opened.
  Result<Secret> keyOfUpstream(std::string_view name);

  /// @return kConflict (`model_name_taken`); kInvalidSchema: an upstream or a fallback that does
  /// not exist, a fallback to itself, or what completeTargets() says.
  Result<Model> insertModel(Model model);
  /// @return kNotFound.
  Result<Model> findModel(std::string_view name);
  /// Newest first. Only those that these teams may use, where any are given.
  Result<identity::Page<Model>> listModels(const std::optional<std::vector<std::string>>& team_ids,
                                           const identity::PageRequest& page);
  /// @return kNotFound, kPreconditionFailed; kInvalidSchema as above, and for fallbacks that lead
  /// back to the model.
  Result<Model> updateModel(std::string_view name,
                            const ModelChange& change,
                            identity::IfVersion if_version = {});
  /// By force also where other models fall back to it. @return kNotFound, kPreconditionFailed,
  /// kConflict (`model_in_use`).
  Result<void> removeModel(std::string_view name, bool force, identity::IfVersion if_version = {});

  /// The names of the teams that models are kept for, by id.
  Result<std::map<std::string, std::string>> teamNames();

  Result<std::int64_t> revision();
  /// Everything at one moment. A key that cannot be opened is logged and left empty.
  Result<Directory> load();

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sealer sealer_;
};

}  // namespace spindle::inference
