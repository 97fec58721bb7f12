#include "engine/api/engine_api.h"

#include <utility>

#include "engine/api/completion_api.h"
#include "engine/api/embedding_api.h"
#include "http/router/endpoint.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

using http::Context;
using http::Endpoint;
using http::Method;
using http::Nothing;
using http::Parameters;
using http::Reply;
using schema::integer;
using schema::list;
using schema::Record;
using schema::string;

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
  router.add(Endpoint<AdapterPath, AdapterFile, Nothing>{
      .method = Method::kPut,
      .path = "/adapters/{name}",
      .operation_id = "load_adapter",
      .summary = "Load a LoRA adapter from a GGUF file.",
      .success_status = 204,
      .policy = enginePolicy(),
      .params = adapterPath(),
      .body =
          Record<AdapterFile>("AdapterFile", schema::Extra::kForbid)
              .required("file", &AdapterFile::file, string({.min_length = 1}), "Path of the file.")
              .codec(),
      .handler = [parts](const Context&, const AdapterPath& path,
                         const AdapterFile& body) -> Result<Reply<Nothing>> {
        std::shared_ptr<Adapter> adapter = TRY(Adapter::load(parts.model, body.file));
        parts.scheduler->addAdapter(path.name, std::move(adapter));
        return Reply<Nothing>{Nothing{}};
      }});
  router.add(Endpoint<AdapterPath, Nothing, Nothing>{
      .method = Method::kDelete,
      .path = "/adapters/{name}",
      .operation_id = "drop_adapter",
      .summary = "Unload an adapter; running requests that use it are completed.",
      .success_status = 204,
      .policy = enginePolicy(),
      .params = adapterPath(),
      .handler = [parts](const Context&, const AdapterPath& path,
                         const Nothing&) -> Result<Reply<Nothing>> {
        TRY(parts.scheduler->removeAdapter(path.name));
        return Reply<Nothing>{Nothing{}};
      }});
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
  router.add(Endpoint<Nothing, Nothing, ModelList>{
      .path = "/v1/models",
      .operation_id = "list_models",
      .summary = "List the loaded model.",
      .policy = enginePolicy(),
      .reply = modelListCodec(),
      .handler = [name = parts.name](const Context&, const Nothing&,
                                     const Nothing&) -> Result<Reply<ModelList>> {
        ModelList all;
        all.data.push_back({.id = name, .root = name});
        return Reply<ModelList>{std::move(all)};
      }});
  addCompletionRoutes(router, parts);
  addEmbeddingRoutes(router, parts);
  if (parts.scheduler != nullptr) addAdapterRoutes(router, parts);
}

}  // namespace spindle::engine
