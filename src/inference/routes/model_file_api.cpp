#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/request_origin.h"
#include "http/message/upload.h"
#include "http/router/etag.h"
#include "http/router/route_group.h"
#include "identity/store/row_version.h"
#include "inference/catalogue/catalogue_cache.h"
#include "inference/catalogue/catalogue_repository.h"
#include "inference/model_files/model_files.h"
#include "inference/routes/model_body.h"
#include "inference/routes/route_parts.h"

namespace spindle::inference {
namespace {

using http::Context, http::Nothing, http::Reply, http::Response;
using schema::string;

struct ModelFilePath {
  std::string name;
  std::optional<std::string> sha256;
};

/// Parses 64 hexadecimal digits, as the schema has checked them.
Sha256 digestOf(std::string_view digits) {
  Sha256 digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const std::string_view pair = digits.substr(2 * i, 2);
    std::from_chars(pair.data(), pair.data() + pair.size(), digest[i], 16);
  }
  return digest;
}

/// Returns the size of the body, if the client has told it.
std::optional<std::uint64_t> lengthOf(const http::Request& request) {
  const std::string* const text = request.headers.find("Content-Length");
  std::uint64_t bytes = 0;
  if (text == nullptr ||
      std::from_chars(text->data(), text->data() + text->size(), bytes).ec != std::errc()) {
    return std::nullopt;
  }
  return bytes;
}

/// The origin of a request whose end other threads handle, for the audit log.
class KeptOrigin {
 public:
  KeptOrigin() {
    const RequestOrigin* const current = RequestOriginScope::current();
    const RequestOrigin origin = current != nullptr ? *current : RequestOrigin();
    user_id_ = origin.user_id;
    username_ = origin.username;
    credential_ = origin.credential;
    address_ = origin.address;
    user_agent_ = origin.user_agent;
    request_id_ = origin.request_id;
  }

  RequestOrigin view() const {
    return {user_id_, username_, credential_, address_, user_agent_, request_id_};
  }

 private:
  std::string user_id_;
  std::string username_;
  std::string credential_;
  std::string address_;
  std::string user_agent_;
  std::string request_id_;
};

/// Receives the file of a model, and gives it to the model when it is complete and valid.
class ModelFileUpload final : public http::Upload {
 public:
  ModelFileUpload(const InferenceServices& services,
                  std::unique_ptr<ModelFileReceiver> receiver,
                  std::string model,
                  std::optional<std::int64_t> version,
                  http::ErrorShape errors)
      : services_(services),
        receiver_(std::move(receiver)),
        model_(std::move(model)),
        version_(version),
        errors_(errors) {}

  std::optional<Response> take(std::string_view chunk) override {
    const Result<void> added = receiver_->add(chunk);
    if (added) return std::nullopt;
    return http::errorResponse(added.error(), errors_);
  }

  Response finish() override {
    const RequestOrigin origin = origin_.view();
    const RequestOriginScope scope(origin);
    Result<Response> response = store();
    return response ? *std::move(response) : http::errorResponse(response.error(), errors_);
  }

 private:
  Result<Response> store() {
    ModelChange change;
    const StoredModelFile file = TRY(receiver_->finish());
    change.stored = file;
    const Model model = TRY(services_.catalogue.updateModel(model_, change, version_));
    const ModelView view = TRY(servedModel(services_, model));
    Response response;
    response.headers.set("Content-Type", "application/json");
    response.headers.set("ETag", http::etagOf(model.version));
    response.body = modelViewCodec().toJson(view);
    return response;
  }

  const InferenceServices services_;
  const std::unique_ptr<ModelFileReceiver> receiver_;
  const std::string model_;
  const std::optional<std::int64_t> version_;
  const http::ErrorShape errors_;
  const KeptOrigin origin_;
};

/// Checks everything that the head of the request tells, before the body arrives.
Result<Reply<Nothing>> receiveFile(const InferenceServices& services,
                                   const Context& context,
                                   const ModelFilePath& path,
                                   http::ErrorShape errors) {
  const Model model = TRY(findUsableModel(services, context, path.name));
  TRY(requireAdmin(services, context.caller().user_id));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  TRY(identity::checkVersion(version, model.version));
  ExpectedModelFile expected;
  expected.bytes = lengthOf(context.request);
  if (path.sha256) expected.digest = digestOf(*path.sha256);
  std::unique_ptr<ModelFileReceiver> receiver = TRY(services.model_files.receive(expected));
  Reply reply(Nothing{});
  reply.stream =
      std::make_shared<ModelFileUpload>(services, std::move(receiver), model.name, version, errors);
  return reply;
}

}  // namespace

void addModelFileRoutes(const InferenceRoutes& routes) {
  http::Parameters<ModelFilePath> path;
  path.path("name", &ModelFilePath::name, string(), "Name of the model; may contain slashes.")
      .query("sha256", &ModelFilePath::sha256,
             schema::ifPresent(string({.pattern = "^[0-9A-Fa-f]{64}$"})),
             "SHA-256 of the file. The server rejects other content.");
  http::Route& route = routes.put(
      "/api/v1/model-files/{name...}",
      {"putCatalogueModelFile", "Upload the file of a model",
       "The body is a GGUF file. It replaces the file of the model, and the local engine becomes a "
       "target of the model. The server keeps the file in its file store, from which every server "
       "of the deployment gets it. For organization admins."},
      {.params = path, .status = 200, .facts = {.statuses = {507}, .etag = true, .if_match = true}},
      [errors = routes.policy().errors](const InferenceServices& services, const Context& context,
                                        const ModelFilePath& wanted) {
        return receiveFile(services, context, wanted, errors);
      });
  route.policy.body_limit = http::kStreamedBody;
  route.body_type = "application/octet-stream";
  route.describe_body = [](json::Writer& out, schema::Components&) {
    out.key("contentMediaType").string("application/octet-stream");
  };
  route.describe_reply = http::descriptionOf(modelViewCodec().type());
}

}  // namespace spindle::inference
