#include <string>
#include <utility>
#include <vector>

#include "http/router/route_group.h"
#include "inference/adapters/adapter_resolver.h"
#include "inference/catalogue/catalogue_cache.h"
#include "inference/catalogue/model_access.h"
#include "inference/routes/inference_api.h"
#include "inference/routes/inference_tag.h"
#include "schema/scalar.h"

namespace spindle::inference {
namespace {

using http::Context;
using schema::string;

constexpr std::size_t kMostAdapters = 1000;

struct ListedModel {
  std::string id;
  std::string object = "model";
  std::int64_t created = 0;
  std::string owned_by = "system";
  std::string root;
};
struct ModelList {
  std::string object = "list";
  std::vector<ListedModel> data;
};
struct ServedModelPath {
  std::string id;
};

schema::Codec<ListedModel> listedModelCodec() {
  return schema::Record<ListedModel>("ServedModel")
      .required("id", &ListedModel::id, string(), "The `model` of requests.")
      .required("object", &ListedModel::object, string(), "`model`.")
      .required("created", &ListedModel::created, schema::integer(), "0.")
      .required("owned_by", &ListedModel::owned_by, string())
      .required("root", &ListedModel::root, string(), "The same as `id`.")
      .codec();
}

ListedModel listed(const std::string& name, const std::string& owned_by) {
  ListedModel model;
  model.id = name;
  model.owned_by = owned_by;
  model.root = name;
  return model;
}

/// Returns the models sorted by name, then the adapters, the newest first.
Result<std::vector<ListedModel>> modelsFor(const InferenceServices& services,
                                           const std::string& user_id) {
  // Another server may have changed the catalogue. If the refresh fails, use the cached catalogue.
  static_cast<void>(services.directory.refresh());
  const std::shared_ptr<const CatalogueSnapshot> directory = services.directory.current();
  const TeamsOfUser teams = TRY(services.model_access.teamsOf(user_id));
  std::vector<ListedModel> models;
  for (const auto& [name, model] : directory->models) {
    if (ModelAccess::mayUse(teams, *model)) models.push_back(listed(name, model->owned_by));
  }
  if (services.adapters == nullptr) return models;
  const std::vector<TrainedAdapter> adapters = TRY(services.adapters->list(user_id, kMostAdapters));
  for (const TrainedAdapter& adapter : adapters) {
    models.push_back(listed(adapter.name, ListedModel().owned_by));
  }
  return models;
}

Result<ModelList> listServedModels(const InferenceServices& services, const Context& context) {
  std::vector<ListedModel> models = TRY(modelsFor(services, context.caller().user_id));
  return ModelList{.data = std::move(models)};
}

Result<ListedModel> showServedModel(const InferenceServices& services,
                                    const Context& context,
                                    const ServedModelPath& path) {
  const std::vector<ListedModel> models = TRY(modelsFor(services, context.caller().user_id));
  for (const ListedModel& model : models) {
    if (model.id == path.id) return model;
  }
  return Error::notFound("The model does not exist.").because("model_not_found");
}

}  // namespace

void addModelListRoutes(InferenceRoutes routes) {
  routes.setTag(kInferenceTag);
  routes.get("/v1/models",
             {"listServedModels", "List available models",
              "Lists models of the catalogue and trained adapters, if the user may use "
              "them."},
             {.reply = schema::Record<ModelList>("ServedModelList")
                           .required("object", &ModelList::object, string(), "`list`.")
                           .required("data", &ModelList::data, schema::list(listedModelCodec()))
                           .codec()},
             listServedModels);
  routes.get("/v1/models/{id...}", {"readServedModel", "Show an available model"},
             {.params = http::Parameters<ServedModelPath>().path(
                  "id", &ServedModelPath::id, string(), "Name of the model; may contain slashes."),
              .reply = listedModelCodec()},
             showServedModel);
}

}  // namespace spindle::inference
