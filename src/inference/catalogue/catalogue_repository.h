#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "base/crypto/sealer.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "inference/catalogue/catalogue.h"
#include "inference/catalogue/catalogue_cache.h"
#include "storage/database/forward.h"

namespace spindle::inference {

/// A change of an upstream; unset members stay unchanged.
struct UpstreamChange {
  std::optional<std::string> url = {};
  std::optional<Secret> key = {};  ///< an empty key removes the stored one
  std::optional<std::chrono::milliseconds> connect = {};
  std::optional<std::chrono::milliseconds> first_token = {};
  std::optional<std::chrono::milliseconds> idle = {};
  std::optional<bool> stream_usage = {};
  std::optional<std::string> health_path = {};
  std::optional<AdapterLoading> adapters = {};
  std::optional<std::string> adapter_path = {};
  std::optional<std::string> adapter_receiver = {};
  std::optional<std::int64_t> max_adapters = {};
  std::optional<std::int64_t> adapter_load_ms = {};
};

/// A change of a model; unset members stay unchanged. A model without a file loses the local engine
/// as a target.
struct ModelChange {
  std::optional<std::string> file = {};  ///< empty: removes the file, also one in the blob store
  std::optional<StoredModelFile> stored = {};  ///< replaces the file
  std::optional<std::string> folder = {};      ///< empty: removes the folder
  std::optional<std::int64_t> context = {};
  std::optional<bool> start_at_boot = {};
  std::optional<std::string> owned_by = {};
  std::optional<std::vector<Ability>> abilities = {};
  std::optional<std::vector<Target>> targets = {};
  std::optional<std::vector<std::string>> fallbacks = {};
  std::optional<std::vector<std::string>> teams = {};
  std::optional<std::int64_t> max_output_tokens = {};
};

/// Stores models and upstreams. Their names never change. Every change increments the revision in
/// the same transaction, so that caches of the catalogue detect it. The API keys of upstreams are
/// encrypted at rest (AES-256-GCM, bound to the upstream); only load() and keyOfUpstream() decrypt
/// them.
///
/// Callers pass targets with the upstream's name; the repository finds the id and returns both.
/// Callers validate model names and URLs. Thread-safe. All calls block on the database and may also
/// return kUnavailable.
class CatalogueRepository {
 public:
  static constexpr std::int64_t kFirstRevision = 1;  ///< the revision before any change

  /// `key` is derived from the server's secret key for this purpose only.
  CatalogueRepository(storage::Database& database, const Clock& clock, const Sha256& key)
      : database_(database), clock_(clock), sealer_(key) {}

  /// Adds an upstream; an empty key means that it needs none.
  /// @return kConflict (`upstream_name_taken`).
  Result<Upstream> insertUpstream(Upstream upstream, const Secret& key);
  /// @return kNotFound.
  Result<Upstream> findUpstream(std::string_view name);
  /// Lists upstreams, the newest first.
  Result<identity::Page<Upstream>> listUpstreams(const identity::PageRequest& page);
  /// @return kNotFound, kPreconditionFailed.
  Result<Upstream> updateUpstream(std::string_view name,
                                  const UpstreamChange& change,
                                  identity::IfVersion if_version = {});
  /// Removes an upstream; with `force` also if it is the target of a model. A model without other
  /// targets then has only its fallbacks.
  /// @return kNotFound, kPreconditionFailed, kConflict (`upstream_in_use`).
  Result<void> removeUpstream(std::string_view name,
                              bool force,
                              identity::IfVersion if_version = {});
  /// Returns the decrypted API key of an upstream, empty if it has none. @return kNotFound;
  /// kUnprocessable if the key cannot be decrypted.
  Result<Secret> keyOfUpstream(std::string_view name);

  /// Adds a model; with `awaits_file` also one without targets, which gets its file later.
  /// @return kConflict (`model_name_taken`); kInvalidSchema for an upstream or a
  /// fallback that does not exist, for a fallback to itself, and for the errors of
  /// completeTargets().
  Result<Model> insertModel(Model model, bool awaits_file = false);
  /// @return kNotFound.
  Result<Model> findModel(std::string_view name);
  /// Lists models, the newest first. If `team_ids` is set, lists only models that these teams may
  /// use.
  Result<identity::Page<Model>> listModels(const std::optional<std::vector<std::string>>& team_ids,
                                           const identity::PageRequest& page);
  /// Changes a model. @return kNotFound, kPreconditionFailed; kInvalidSchema as above, and for a
  /// cycle of fallbacks.
  Result<Model> updateModel(std::string_view name,
                            const ModelChange& change,
                            identity::IfVersion if_version = {});
  /// Removes a model; with `force` also if it is the fallback of other models.
  /// @return kNotFound, kPreconditionFailed, kConflict (`model_in_use`).
  Result<void> removeModel(std::string_view name, bool force, identity::IfVersion if_version = {});

  /// Returns the names of all teams that models are restricted to, by id.
  Result<std::map<std::string, std::string>> teamNames();

  Result<std::int64_t> revision();
  /// Loads a consistent snapshot of the catalogue. Logs a key that cannot be decrypted and leaves
  /// it empty.
  Result<CatalogueSnapshot> load();

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sealer sealer_;
};

}  // namespace spindle::inference
