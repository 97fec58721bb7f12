#include "inference/catalogue/catalogue_rows_repository.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "identity/audit/audit_trail.h"
#include "inference/catalogue/versioned_rows_repository.h"

namespace spindle::inference {
namespace {

using storage::Row, storage::Rows, storage::Session;

/// Maximum number of models that an error message lists.
constexpr int kUsersNamed = 20;

std::vector<Ability> abilitiesIn(std::string_view text) {
  std::vector<Ability> abilities;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (const std::optional<Ability> ability = keyOf(kAbilities, text.substr(0, comma))) {
      abilities.push_back(*ability);
    }
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return abilities;
}

Model modelAt(const Row& row) {
  Model model = modelColumns().read(row);
  model.abilities = abilitiesIn(row.text("abilities"));
  return model;
}

Error unknownReference(std::string_view list,
                       std::size_t position,
                       std::string_view member,
                       std::string message) {
  Violation violation;
  violation.type = "unknown_reference";
  violation.loc = {LocStep("body"), LocStep(std::string(list)),
                   LocStep(static_cast<std::int64_t>(position))};
  if (!member.empty()) violation.loc.emplace_back(std::string(member));
  violation.msg = std::move(message);
  return Error::invalid({std::move(violation)});
}

Error circularFallback(std::size_t position) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("body"), LocStep("fallbacks"),
                   LocStep(static_cast<std::int64_t>(position))};
  violation.msg = "This fallback leads back to the model itself";
  return Error::invalid({std::move(violation)});
}

/// Returns true if the fallbacks of model `from` lead, directly or indirectly, to model `to`.
Result<bool> leadsTo(Session& session, const std::string& from, const std::string& to) {
  std::vector<std::string> open = {from};
  std::set<std::string> seen = {from};
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    if (at == to) return true;
    const Rows rows =
        TRY(session.query("SELECT fallback_id FROM inference_fallbacks WHERE model_id = ?", {at}));
    for (const Row& row : rows) {
      if (seen.insert(row.text(0)).second) open.push_back(row.text(0));
    }
  }
  return false;
}

}  // namespace

const storage::Columns<Model>& modelColumns() {
  using Column = storage::Columns<Model>::Column;
  static const auto columns = versionedColumns<Model>(
      Column("name", &Model::name), Column("file", &Model::file),
      Column("file_blob", &Model::stored, &StoredModelFile::blob),
      Column("file_bytes", &Model::stored, &StoredModelFile::bytes),
      Column("header_bytes", &Model::stored, &StoredModelFile::header_bytes),
      Column("folder", &Model::folder), Column("context", &Model::context),
      Column("start_at_boot", &Model::start_at_boot), Column("owned_by", &Model::owned_by),
      Column("max_output_tokens", &Model::max_output_tokens));
  return columns;
}

const storage::Columns<Upstream>& upstreamColumns() {
  using Column = storage::Columns<Upstream>::Column;
  static const auto columns = versionedColumns<Upstream>(
      Column("name", &Upstream::name), Column("url", &Upstream::url),
      Column("stream_usage", &Upstream::stream_usage),
      Column("health_path", &Upstream::health_path),
      Column("adapter_path", &Upstream::adapters, &UpstreamAdapters::path),
      Column("adapter_receiver", &Upstream::adapters, &UpstreamAdapters::receiver),
      Column("max_adapters", &Upstream::adapters, &UpstreamAdapters::most),
      Column("adapter_load_ms", &Upstream::adapters, &UpstreamAdapters::load_ms));
  return columns;
}

Upstream upstreamAt(const Row& row) {
  Upstream upstream = upstreamColumns().read(row);
  upstream.timeouts.connect = std::chrono::milliseconds(row.integer("connect_ms"));
  upstream.timeouts.first_token = std::chrono::milliseconds(row.integer("first_token_ms"));
  upstream.timeouts.idle = std::chrono::milliseconds(row.integer("idle_ms"));
  upstream.adapters.loading = adapterLoadingOf(row.text("adapters"));
  upstream.has_key = !row.isNull("sealed");
  return upstream;
}

Result<std::vector<Model>> readModels(Session& session,
                                      SqlView condition,
                                      const storage::Params& params) {
  const Rows rows = TRY(session.query(
      "SELECT " + modelColumns().list("m") + ", m.abilities FROM inference_models m " + condition,
      params));
  std::vector<Model> models;
  std::map<std::string, std::size_t> places;
  for (const Row& row : rows) {
    models.push_back(modelAt(row));
    places.emplace(models.back().id, models.size() - 1);
  }
  const SqlText within = "IN (SELECT id FROM (SELECT m.id FROM inference_models m " +
                         SqlText(condition) + ") AS wanted) ";
  const Rows targets = TRY(session.query(
      "SELECT t.model_id, t.upstream_id, u.name AS upstream, t.model, t.tier "
      "FROM inference_targets t LEFT JOIN inference_upstreams u ON u.id = t.upstream_id "
      "WHERE t.model_id " +
          within + "ORDER BY t.model_id, t.position",
      params));
  for (const Row& row : targets) {
    Target target;
    target.upstream_id = row.optionalText("upstream_id").value_or("");
    target.upstream = row.optionalText("upstream").value_or("");
    target.model = row.text("model");
    target.tier = row.integer("tier");
    models[places.at(row.text("model_id"))].targets.push_back(std::move(target));
  }
  const Rows fallbacks =
      TRY(session.query("SELECT f.model_id, o.name FROM inference_fallbacks f "
                        "JOIN inference_models o ON o.id = f.fallback_id WHERE f.model_id " +
                            within + "ORDER BY f.model_id, f.position",
                        params));
  for (const Row& row : fallbacks) {
    models[places.at(row.text("model_id"))].fallbacks.push_back(row.text("name"));
  }
  const Rows teams =
      TRY(session.query("SELECT model_id, team_id FROM inference_model_teams WHERE model_id " +
                            within + "ORDER BY model_id, team_id",
                        params));
  for (const Row& row : teams) {
    models[places.at(row.text("model_id"))].teams.push_back(row.text("team_id"));
  }
  return models;
}

Result<void> writeTargets(Session& session, const Model& model) {
  TRY(session.execute("DELETE FROM inference_targets WHERE model_id = ?", {model.id}));
  for (std::size_t i = 0; i < model.targets.size(); ++i) {
    const Target& target = model.targets[i];
    std::optional<std::string> upstream_id;
    if (!target.upstream.empty()) {
      const std::optional<Row> row = TRY(
          session.queryOne("SELECT id FROM inference_upstreams WHERE name = ?", {target.upstream}));
      if (!row.has_value()) {
        return unknownReference("targets", i, "upstream", "There is no upstream of this name");
      }
      upstream_id = row->text("id");
    }
    TRY(session.execute(
        "INSERT INTO inference_targets (model_id, position, upstream_id, model, tier) "
        "VALUES (?, ?, ?, ?, ?)",
        {model.id, i, upstream_id, target.model, target.tier}));
  }
  return {};
}

Result<void> writeFallbacks(Session& session, const Model& model) {
  TRY(session.execute("DELETE FROM inference_fallbacks WHERE model_id = ?", {model.id}));
  for (std::size_t i = 0; i < model.fallbacks.size(); ++i) {
    const std::optional<Row> row = TRY(
        session.queryOne("SELECT id FROM inference_models WHERE name = ?", {model.fallbacks[i]}));
    if (!row.has_value()) {
      return unknownReference("fallbacks", i, {}, "There is no model of this name");
    }
    const std::string id = row->text("id");
    if (TRY(leadsTo(session, id, model.id))) return circularFallback(i);
    TRY(session.execute(
        "INSERT INTO inference_fallbacks (model_id, position, fallback_id) VALUES (?, ?, ?)",
        {model.id, i, id}));
  }
  return {};
}

Result<void> writeTeams(Session& session, const Model& model) {
  TRY(session.execute("DELETE FROM inference_model_teams WHERE model_id = ?", {model.id}));
  for (const std::string& team_id : model.teams) {
    TRY(
        session.execute("INSERT INTO inference_model_teams (model_id, team_id) VALUES (?, ?) "
                        "ON CONFLICT (model_id, team_id) DO NOTHING",
                        {model.id, team_id}));
  }
  return {};
}

Result<void> removeRow(Session& session,
                       const CatalogueReferences& of,
                       std::string_view name,
                       bool force,
                       identity::IfVersion if_version,
                       Timestamp now) {
  const std::optional<Row> row =
      TRY(session.queryOne("SELECT id, version FROM " + of.table + " WHERE name = ?", {name}));
  if (!row.has_value()) return Error::notFound(std::string(of.missing));
  TRY(identity::checkVersion(if_version, row->integer("version")));
  const std::string id = row->text("id");
  const Rows users =
      TRY(session.query(SqlText("SELECT DISTINCT m.name FROM ")
                            .add(of.references)
                            .add(" r JOIN inference_models m ON m.id = r.model_id WHERE r.")
                            .add(of.reference_column)
                            .add(" = ? ORDER BY m.name LIMIT ?"),
                        {id, kUsersNamed}));
  if (!users.empty() && !force) {
    std::string names;
    for (const Row& user : users) names += (names.empty() ? " " : ", ") + user.text("name");
    return Error::conflict(std::string(of.in_use) + names).because(of.reason);
  }
  TRY(session.execute("DELETE FROM " + of.table + " WHERE id = ?", {id}));
  TRY(identity::recordChange(
      session, {.action = of.delete_action, .target_id = id, .target_name = name}, now));
  return incrementRevision(session, kCatalogueRevision);
}

}  // namespace spindle::inference
