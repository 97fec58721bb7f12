#include <filesystem>
#include <system_error>
#include <utility>

#include "http/router/etag.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "identity/store/team_repository.h"
#include "inference/catalogue/catalogue_repository.h"
#include "inference/catalogue/model_access.h"
#include "inference/model_files/model_file.h"
#include "inference/routes/model_body.h"
#include "inference/routes/route_parts.h"
#include "inference/routes/versioned_operation.h"

namespace spindle::inference {
namespace {

using http::Context, http::Reply;
using schema::string;

struct ModelPath {
  std::string name;
  bool force = false;
};

http::Parameters<ModelPath> modelPath() {
  return http::Parameters<ModelPath>().path("name", &ModelPath::name, string(),
                                            "Name of the model; may contain slashes.");
}

Error invalidMember(std::vector<LocStep> place, std::string_view type, std::string message) {
  Violation violation;
  violation.type = type;
  violation.loc = {LocStep("body")};
  violation.loc.insert(violation.loc.end(), place.begin(), place.end());
  violation.msg = std::move(message);
  return Error::invalid({std::move(violation)});
}

Result<void> checkFile(const std::optional<std::string>& path) {
  if (!path) return {};
  const Result<ModelFileInfo> facts = inspectModelFile(*path, {});
  if (!facts) return invalidMember({LocStep("file")}, "value_error", facts.error().message());
  return {};
}

/// Requires a Hugging Face folder that the server can read.
Result<void> checkFolder(const std::optional<std::string>& path) {
  if (!path) return {};
  std::error_code failed;
  if (std::filesystem::is_regular_file(*path + "/config.json", failed)) return {};
  return invalidMember({LocStep("folder")}, "value_error",
                       "The folder contains no config.json that the server can read");
}

Result<std::vector<std::string>> teamIds(const InferenceServices& services,
                                         const std::optional<std::vector<std::string>>& names) {
  std::vector<std::string> ids;
  if (!names) return ids;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const Result<identity::Team> team = services.teams.findByName((*names)[i]);
    if (!team && team.error().code() != ErrorCode::kNotFound) return team.error();
    if (!team) {
      return invalidMember({LocStep("teams"), LocStep(static_cast<std::int64_t>(i))},
                           "unknown_reference", "There is no team of this name");
    }
    ids.push_back(team->id);
  }
  return ids;
}

Result<Reply<ModelView>> served(const InferenceServices& services, const Model& model) {
  ModelView view = TRY(servedModel(services, model));
  return Reply(std::move(view)).with("ETag", http::etagOf(model.version));
}

Result<Reply<ModelView>> createModel(const InferenceServices& services,
                                     const Context& context,
                                     ModelBody body) {
  TRY(requireAdmin(services, context.caller().user_id));
  TRY(checkFile(body.given_file));
  TRY(checkFolder(body.given_folder));
  std::vector<std::string> teams = TRY(teamIds(services, body.team_names));
  body.file = std::move(body.given_file).value_or("");
  body.folder = std::move(body.given_folder).value_or("");
  if (body.given_abilities) body.abilities = *std::move(body.given_abilities);
  body.targets = targetsOf(std::move(body.given_targets));
  body.teams = std::move(teams);
  const bool awaits_file = body.upload;
  const Model made = TRY(services.catalogue.insertModel(static_cast<Model&&>(body), awaits_file));
  return served(services, made);
}

Result<http::PageReply<ModelView>> listModels(const InferenceServices& services,
                                              const Context& context,
                                              const http::PageQuery& query) {
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  const TeamsOfUser teams = TRY(services.model_access.teamsOf(context.caller().user_id));
  const bool admin = TRY(services.access.isOrganizationAdmin(context.caller().user_id));
  const identity::Page<Model> page = TRY(services.catalogue.listModels(teams, request));
  const TeamNames names = TRY(services.catalogue.teamNames());
  const TeamNames* known = admin ? &names : nullptr;
  return identity::pageReply<ModelView>(
      page, [known](const Model& model) { return viewOf(model, known); });
}

Result<Reply<ModelView>> showModel(const InferenceServices& services,
                                   const Context& context,
                                   const ModelPath& path) {
  const Model model = TRY(findUsableModel(services, context, path.name));
  const bool admin = TRY(services.access.isOrganizationAdmin(context.caller().user_id));
  const TeamNames names = TRY(services.catalogue.teamNames());
  return Reply(viewOf(model, admin ? &names : nullptr)).with("ETag", http::etagOf(model.version));
}

Result<Reply<ModelView>> changeModel(const InferenceServices& services,
                                     const Context& context,
                                     const ModelPath& path,
                                     ModelChangeBody body) {
  TRY(findUsableModel(services, context, path.name));
  TRY(requireAdmin(services, context.caller().user_id));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  if (body.given_file) {
    TRY(checkFile(*body.given_file));
    body.file = (*std::move(body.given_file)).value_or("");
  }
  if (body.given_folder) {
    TRY(checkFolder(*body.given_folder));
    body.folder = (*std::move(body.given_folder)).value_or("");
  }
  if (body.team_names) {
    std::vector<std::string> teams = TRY(teamIds(services, *body.team_names));
    body.teams = std::move(teams);
  }
  if (body.given_targets) body.targets = targetsOf(*std::move(body.given_targets));
  const Model changed = TRY(services.catalogue.updateModel(path.name, body, version));
  return served(services, changed);
}

/// Rejects the removal of a model that is the base model of adapters.
Result<void> requireUntrained(const InferenceServices& services, const ModelPath& path) {
  if (path.force || !services.trained_from) return {};
  const std::vector<std::string> models = TRY(services.trained_from(path.name));
  if (models.empty()) return {};
  std::string names;
  for (const std::string& name : models) names += (names.empty() ? "" : ", ") + name;
  return Error::conflict("Models were trained from this one: " + names).because("model_in_use");
}

Result<void> removeModel(const InferenceServices& services,
                         const Context& context,
                         const ModelPath& path) {
  TRY(findUsableModel(services, context, path.name));
  TRY(requireAdmin(services, context.caller().user_id));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(requireUntrained(services, path));
  TRY(services.catalogue.removeModel(path.name, path.force, version));
  TRY(services.directory.refresh());
  return {};
}

}  // namespace

Result<Model> findUsableModel(const InferenceServices& services,
                              const Context& context,
                              std::string_view name) {
  Model model = TRY(services.catalogue.findModel(name));
  if (!TRY(services.model_access.mayUse(context.caller().user_id, model)))
    return Error::notFound("Model not found");
  return model;
}

Result<ModelView> servedModel(const InferenceServices& services, const Model& model) {
  TRY(services.directory.refresh());
  const TeamNames names = TRY(services.catalogue.teamNames());
  return viewOf(model, &names);
}

void addModelRoutes(const InferenceRoutes& routes) {
  routes.post("/api/v1/models",
              {"createCatalogueModel", "Add a model to the catalogue",
               "Requests can use it immediately. For organization admins."},
              createVersioned(newModelCodec(), modelViewCodec()), createModel);
  routes.get("/api/v1/models",
             {"listCatalogueModels", "List the models of the catalogue",
              "Lists the models that the user may use, the newest first."},
             listPages("CatalogueModelPage", modelViewCodec()), listModels);
  routes.get(
      "/api/v1/models/{name...}",
      {"readCatalogueModel", "Show a model of the catalogue", "For users who may use the model."},
      readVersioned(modelPath(), modelViewCodec()), showModel);
  routes.patch("/api/v1/models/{name...}",
               {"updateCatalogueModel", "Change a model of the catalogue",
                "The change applies to new requests immediately. For organization admins."},
               changeVersioned(modelPath(), modelChangeCodec(), modelViewCodec()), changeModel);
  routes.remove(
      "/api/v1/models/{name...}",
      {"deleteCatalogueModel", "Remove a model from the catalogue",
       "A file on the server's machine is not deleted. For organization admins."},
      removeVersioned(modelPath().query("force", &ModelPath::force, schema::boolean(),
                                        "Remove it even if other models fall back to it or were "
                                        "trained from it.")),
      removeModel);
}

}  // namespace spindle::inference
