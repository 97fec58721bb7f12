#include "engine/api/engine_api.h"

#include <utility>

#include "engine/api/completion_api.h"
#include "engine/api/embedding_api.h"
#include "http/router/route_group.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

using http::Parameters;
using schema::integer, schema::list, schema::Record, schema::string;

struct ModelEntry {
  std::string id = {};
  std::string object = "model";
  std::int64_t created = 0;
  std::string owned_by = "system";
  std::string root = {};
};
struct ModelList {
  std::string object = "list";
  std::vector<ModelEntry> data;
};

schema::Codec<ModelList> modelListCodec() {
  const auto entry = Record<ModelEntry>("Model")
                         .required("id", &ModelEntry::id, string(), "Model name in requests.")
                         .required("object", &ModelEntry::object, string(), "`model`")
                         .required("created", &ModelEntry::created, integer(), "Unix time.")
                         .required("owned_by", &ModelEntry::owned_by, string(), "Whose.")
                         .required("root", &ModelEntry::root, string(), "Name of the base model.")
                         .codec();
  return Record<ModelList>("ModelList")
      .required("object", &ModelList::object, string(), "`list`")
      .required("data", &ModelList::data, list(entry), "The models.")
      .codec();
}

struct AdapterPath {
  std::string name;
};
struct AdapterFile {
  std::string file;
};

Parameters<AdapterPath> adapterPath() {
  return Parameters<AdapterPath>().path("name", &AdapterPath::name, string({.min_length = 1}),
                                        "Name that requests use as `model`.");
}

void addAdapterRoutes(http::Router& router, const EngineParts& parts) {
  http::RouteGroup routes(router, enginePolicy(), {});
  routes.put("/adapters/{name}", {"load_adapter", "Load a LoRA adapter from a GGUF file."},
             {.params = adapterPath(),
              .body = Record<AdapterFile>("AdapterFile", schema::Extra::kForbid)
                          .required("file", &AdapterFile::file, string({.min_length = 1}),
                                    "Path of the file.")
                          .codec()},
             [parts](const AdapterPath& path, const AdapterFile& body) -> Result<void> {
               std::shared_ptr<Adapter> adapter = TRY(Adapter::load(parts.model, body.file));
               parts.scheduler->addAdapter(path.name, std::move(adapter));
               return {};
             });
  routes.remove("/adapters/{name}",
                {"drop_adapter", "Unload an adapter; running requests that use it are completed."},
                {.params = adapterPath()}, [parts](const AdapterPath& path) -> Result<void> {
                  TRY(parts.scheduler->removeAdapter(path.name));
                  return {};
                });
}

}  // namespace

http::RoutePolicy enginePolicy() {
  http::RoutePolicy open;
  open.credentials = http::Credentials::kOpen;
  open.errors = http::ErrorShape::kOpenAi;
  return open;
}

Error modelNotFound() {
  return Error::notFound("The model does not exist or is not loaded.").because("model_not_found");
}

void addEngineRoutes(http::Router& router, const EngineParts& parts) {
  http::RouteGroup routes(router, enginePolicy(), {});
  routes.get("/v1/models", {"list_models", "List the loaded model."}, {.reply = modelListCodec()},
             [name = parts.name]() -> Result<ModelList> {
               ModelList all;
               all.data.push_back({.id = name, .root = name});
               return all;
             });
  addCompletionRoutes(router, parts);
  addEmbeddingRoutes(router, parts);
  if (parts.scheduler != nullptr) addAdapterRoutes(router, parts);
}

}  // namespace spindle::engine
