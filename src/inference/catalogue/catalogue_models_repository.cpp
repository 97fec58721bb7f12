#include <utility>

#include "identity/audit/audit_trail.h"
#include "inference/catalogue/catalogue_repository.h"
#include "inference/catalogue/catalogue_rows_repository.h"
#include "inference/catalogue/catalogue_rules.h"
#include "inference/catalogue/versioned_rows_repository.h"
#include "storage/database/database.h"
#include "storage/database/placeholders.h"

namespace spindle::inference {
namespace {

using identity::IfVersion, identity::Page, identity::PageRequest;
using storage::Row, storage::Rows, storage::Session;

Result<Model> findModelIn(Session& session, std::string_view name) {
  std::vector<Model> models = TRY(readModels(session, "WHERE m.name = ?", {name}));
  if (models.empty()) return Error::notFound("Model not found");
  return std::move(models.front());
}

std::string textOf(const std::vector<Ability>& abilities) {
  std::string text;
  for (const Ability ability : abilities) {
    text.append(text.empty() ? "" : ",").append(inference::textOf(ability));
  }
  return text;
}

Result<void> writeParts(Session& session, const Model& model) {
  TRY(writeTargets(session, model));
  TRY(writeFallbacks(session, model));
  TRY(writeTeams(session, model));
  return incrementRevision(session, kCatalogueRevision);
}

void apply(const ModelChange& change, Model& model) {
  if (change.file) {
    model.file = *change.file;
    model.stored = {};
  }
  if (change.stored) {
    model.file.clear();
    model.stored = *change.stored;
  }
  if (change.folder) model.folder = *change.folder;
  if (change.context) model.context = *change.context;
  if (change.start_at_boot) model.start_at_boot = *change.start_at_boot;
  if (change.owned_by) model.owned_by = *change.owned_by;
  if (change.abilities) model.abilities = *change.abilities;
  if (change.fallbacks) model.fallbacks = *change.fallbacks;
  if (change.teams) model.teams = *change.teams;
  if (change.max_output_tokens) model.max_output_tokens = *change.max_output_tokens;
  if (change.targets) {
    model.targets = *change.targets;
  } else if (!model.hasFile()) {
    std::erase_if(model.targets, [](const Target& target) { return target.upstream.empty(); });
  }
}

}  // namespace

Result<Model> CatalogueRepository::insertModel(Model model, bool awaits_file) {
  if (!awaits_file || !model.targets.empty()) {
    TRY(completeTargets(model));
  }
  markNew(model, "mdl_", clock_.now());
  return database_.write([&](Session& session) -> Result<Model> {
    TRY(insertNew(
        session,
        modelColumns().insertInto("inference_models", {"abilities"}) +
            " ON CONFLICT (name) DO NOTHING",
        modelColumns().valuesOf(model, {textOf(model.abilities)}),
        Error::conflict("A model with this name already exists.").because("model_name_taken")));
    TRY(writeParts(session, model));
    TRY(identity::recordChange(
        session, {.action = "model.create", .target_id = model.id, .target_name = model.name},
        model.created_at));
    return findModelIn(session, model.name);
  });
}

Result<Model> CatalogueRepository::findModel(std::string_view name) {
  return database_.read([&](Session& session) { return findModelIn(session, name); });
}

Result<Page<Model>> CatalogueRepository::listModels(
    const std::optional<std::vector<std::string>>& team_ids, const PageRequest& page) {
  SqlText condition("WHERE m.id < ? ");
  storage::Params params = {page.below()};
  if (team_ids) {
    condition += "AND (NOT EXISTS (SELECT 1 FROM inference_model_teams a WHERE a.model_id = m.id)";
    if (!team_ids->empty()) {
      const std::size_t count = storage::paddedCount(team_ids->size());
      condition +=
          " OR EXISTS (SELECT 1 FROM inference_model_teams b WHERE b.model_id = m.id "
          "AND b.team_id IN " +
          storage::placeholders(count) + ")";
      for (const std::string& team_id : *team_ids) params.emplace_back(team_id);
      params.resize(1 + count, storage::Value(team_ids->back()));
    }
    condition += ") ";
  }
  condition += "ORDER BY m.id DESC LIMIT ?";
  params.emplace_back(page.limit + 1);
  return database_.read([&](Session& session) -> Result<Page<Model>> {
    std::vector<Model> models = TRY(readModels(session, condition, params));
    return identity::pageOf(std::move(models), page.limit,
                            [](const Model& model) { return model.id; });
  });
}

Result<Model> CatalogueRepository::updateModel(std::string_view name,
                                               const ModelChange& change,
                                               IfVersion if_version) {
  const Timestamp now = clock_.now();
  return database_.write([&](Session& session) -> Result<Model> {
    Model model = TRY(findModelIn(session, name));
    TRY(identity::checkVersion(if_version, model.version));
    apply(change, model);
    // Other members of a model without targets may change before it gets new targets.
    const bool targets_stay =
        !change.targets && !change.file && !change.stored && model.targets.empty();
    if (!targets_stay) {
      TRY(completeTargets(model));
    }
    TRY(session.execute(
        "UPDATE inference_models SET file = ?, file_blob = ?, file_bytes = ?, header_bytes = ?, "
        "folder = ?, context = ?, start_at_boot = ?, owned_by = ?, abilities = ?, "
        "max_output_tokens = ?, version = version + 1, updated_at = ? WHERE id = ?",
        {model.file, model.stored.blob, model.stored.bytes, model.stored.header_bytes, model.folder,
         model.context, model.start_at_boot, model.owned_by, textOf(model.abilities),
         model.max_output_tokens, now, model.id}));
    TRY(writeParts(session, model));
    TRY(identity::recordChange(
        session, {.action = "model.update", .target_id = model.id, .target_name = name}, now));
    return findModelIn(session, name);
  });
}

Result<void> CatalogueRepository::removeModel(std::string_view name,
                                              bool force,
                                              IfVersion if_version) {
  return database_.write([&](Session& session) {
    return removeRow(session, kModelReferences, name, force, if_version, clock_.now());
  });
}

Result<std::map<std::string, std::string>> CatalogueRepository::teamNames() {
  return database_.read([&](Session& session) -> Result<std::map<std::string, std::string>> {
    const Rows rows =
        TRY(session.query("SELECT DISTINCT t.id, t.name FROM inference_model_teams m "
                          "JOIN published_teams t ON t.id = m.team_id"));
    std::map<std::string, std::string> names;
    for (const Row& row : rows) names.emplace(row.text("id"), row.text("name"));
    return names;
  });
}

}  // namespace spindle::inference
