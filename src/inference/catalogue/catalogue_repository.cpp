#include "inference/catalogue/catalogue_repository.h"

#include <memory>
#include <utility>

#include "base/core/log.h"
#include "identity/audit/audit_trail.h"
#include "inference/catalogue/catalogue_rows_repository.h"
#include "inference/catalogue/versioned_rows_repository.h"
#include "storage/database/database.h"

namespace spindle::inference {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

constexpr Logger kLog("inference");

/// Returns the SELECT of rows for upstreamAt(), without conditions.
SqlText selectUpstreams() {
  return "SELECT " + upstreamColumns().list("u") +
         ", u.connect_ms, u.first_token_ms, u.idle_ms, u.adapters, u.sealed FROM "
         "inference_upstreams u ";
}

Result<Row> findRow(Session& session, std::string_view name) {
  std::optional<Row> row = TRY(session.queryOne(selectUpstreams() + "WHERE u.name = ?", {name}));
  if (!row.has_value()) return Error::notFound("Upstream not found");
  return *std::move(row);
}

Result<Upstream> findUpstreamIn(Session& session, std::string_view name) {
  const Row row = TRY(findRow(session, name));
  return upstreamAt(row);
}

void apply(const UpstreamChange& change, Upstream& upstream) {
  if (change.url) upstream.url = *change.url;
  if (change.connect) upstream.timeouts.connect = *change.connect;
  if (change.first_token) upstream.timeouts.first_token = *change.first_token;
  if (change.idle) upstream.timeouts.idle = *change.idle;
  if (change.stream_usage) upstream.stream_usage = *change.stream_usage;
  if (change.health_path) upstream.health_path = *change.health_path;
  if (change.adapters) upstream.adapters.loading = *change.adapters;
  if (change.adapter_path) upstream.adapters.path = *change.adapter_path;
  if (change.adapter_receiver) upstream.adapters.receiver = *change.adapter_receiver;
  if (change.max_adapters) upstream.adapters.most = *change.max_adapters;
  if (change.adapter_load_ms) upstream.adapters.load_ms = *change.adapter_load_ms;
}

/// Returns the associated data that an encrypted key is bound to.
std::string contextOf(std::string_view upstream_id) {
  return "upstream\n" + std::string(upstream_id);
}

std::optional<std::string> sealedKey(const Sealer& sealer,
                                     std::string_view upstream_id,
                                     const Secret& key) {
  if (key.empty()) return std::nullopt;
  return sealer.seal(key, contextOf(upstream_id));
}

}  // namespace

Result<Upstream> CatalogueRepository::insertUpstream(Upstream upstream, const Secret& key) {
  markNew(upstream, "ups_", clock_.now());
  const std::optional<std::string> sealed = sealedKey(sealer_, upstream.id, key);
  return database_.write([&](Session& session) -> Result<Upstream> {
    TRY(insertNew(
        session,
        upstreamColumns().insertInto("inference_upstreams", {"connect_ms", "first_token_ms",
                                                             "idle_ms", "adapters", "sealed"}) +
            " ON CONFLICT (name) DO NOTHING",
        upstreamColumns().valuesOf(
            upstream, {upstream.timeouts.connect.count(), upstream.timeouts.first_token.count(),
                       upstream.timeouts.idle.count(), textOf(upstream.adapters.loading), sealed}),
        Error::conflict("An upstream with this name already exists.")
            .because("upstream_name_taken")));
    TRY(identity::recordChange(
        session,
        {.action = "upstream.create", .target_id = upstream.id, .target_name = upstream.name},
        upstream.created_at));
    TRY(incrementRevision(session, kCatalogueRevision));
    return findUpstreamIn(session, upstream.name);
  });
}

Result<Upstream> CatalogueRepository::findUpstream(std::string_view name) {
  return database_.read([&](Session& session) { return findUpstreamIn(session, name); });
}

Result<Page<Upstream>> CatalogueRepository::listUpstreams(const PageRequest& page) {
  return database_.read([&](Session& session) -> Result<Page<Upstream>> {
    std::vector<Upstream> upstreams = TRY(
        collectRows(session.query(selectUpstreams() + "WHERE u.id < ? ORDER BY u.id DESC LIMIT ?",
                                  {page.below(), page.limit + 1}),
                    upstreamAt));
    return identity::pageOf(std::move(upstreams), page.limit,
                            [](const Upstream& upstream) { return upstream.id; });
  });
}

Result<Upstream> CatalogueRepository::updateUpstream(std::string_view name,
                                                     const UpstreamChange& change,
                                                     IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Upstream> {
    const Row row = TRY(findRow(session, name));
    Upstream upstream = upstreamAt(row);
    TRY(identity::checkVersion(if_version, upstream.version));
    apply(change, upstream);
    const std::optional<std::string> sealed =
        change.key ? sealedKey(sealer_, upstream.id, *change.key) : row.optionalText("sealed");
    TRY(session.execute(
        "UPDATE inference_upstreams SET url = ?, connect_ms = ?, first_token_ms = ?, idle_ms = ?, "
        "stream_usage = ?, health_path = ?, adapters = ?, adapter_path = ?, adapter_receiver = ?, "
        "max_adapters = ?, adapter_load_ms = ?, sealed = ?, version = version + 1, updated_at = ? "
        "WHERE id = ?",
        {upstream.url, upstream.timeouts.connect.count(), upstream.timeouts.first_token.count(),
         upstream.timeouts.idle.count(), upstream.stream_usage, upstream.health_path,
         textOf(upstream.adapters.loading), upstream.adapters.path, upstream.adapters.receiver,
         upstream.adapters.most, upstream.adapters.load_ms, sealed, now, upstream.id}));
    TRY(identity::recordChange(
        session, {.action = "upstream.update", .target_id = upstream.id, .target_name = name},
        now));
    TRY(incrementRevision(session, kCatalogueRevision));
    return findUpstreamIn(session, name);
  });
}

Result<void> CatalogueRepository::removeUpstream(std::string_view name,
                                                 bool force,
                                                 IfVersion if_version) {
  return database_.write([&](Session& session) {
    return removeRow(session, kUpstreamReferences, name, force, if_version, clock_.now());
  });
}

Result<Secret> CatalogueRepository::keyOfUpstream(std::string_view name) {
  return database_.read([&](Session& session) -> Result<Secret> {
    const Row row = TRY(findRow(session, name));
    const std::optional<std::string> sealed = row.optionalText("sealed");
    if (!sealed) return Secret();
    std::optional<Secret> key = sealer_.open(*sealed, contextOf(row.text("id")));
    if (!key) {
      return Error(ErrorCode::kUnprocessable,
                   "The API key of the upstream cannot be decrypted. Set it again.")
          .because("upstream_key_unreadable");
    }
    return *std::move(key);
  });
}

Result<std::int64_t> CatalogueRepository::revision() {
  return database_.read(
      [&](Session& session) { return readRevision(session, kCatalogueRevision); });
}

Result<CatalogueSnapshot> CatalogueRepository::load() {
  return readSnapshot<CatalogueSnapshot>(
      database_, kCatalogueRevision,
      [this](Session& session, CatalogueSnapshot& directory) -> Result<void> {
        const Rows rows = TRY(session.query(selectUpstreams()));
        for (const Row& row : rows) {
          auto reachable = std::make_shared<ReachableUpstream>();
          reachable->upstream = upstreamAt(row);
          const Upstream& upstream = reachable->upstream;
          if (upstream.has_key) {
            std::optional<Secret> key = sealer_.open(row.text("sealed"), contextOf(upstream.id));
            if (key) reachable->key = *key;
            if (key) reachable->filter = SecretFilter(*key);
            if (!key) kLog.error("upstream_key_unreadable", {{"upstream", upstream.name}});
          }
          directory.upstreams.emplace(upstream.id, std::move(reachable));
        }
        std::vector<Model> models = TRY(readModels(session, "", {}));
        for (Model& model : models) {
          std::string name = model.name;
          directory.models.emplace(std::move(name),
                                   std::make_shared<const Model>(std::move(model)));
        }
        return {};
      });
}

}  // namespace spindle::inference
