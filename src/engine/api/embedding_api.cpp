#include "engine/api/embedding_api.h"

#include <utility>

#include "engine/api/embedding_json.h"
#include "engine/api/generation_options_codec.h"
#include "http/message/body_stream.h"
#include "http/router/route_group.h"

namespace spindle::engine {
namespace {

using http::Nothing;
using http::Reply;

constexpr std::size_t kTexts = 2048;

struct EmbeddingRequest {
  std::string model;
  TextInput input;
  std::string encoding_format = "float";
  std::optional<std::int64_t> dimensions;
};

schema::Codec<EmbeddingRequest> requestCodec() {
  using R = EmbeddingRequest;
  return schema::Record<R>("EmbeddingRequest")
      .required("model", &R::model, schema::string({.min_length = 1}), "Name of the model.")
      .required("input", &R::input, textInputCodec(kTexts), "Texts, or token ids.")
      .optional("encoding_format", &R::encoding_format, schema::literal({"float", "base64"}),
                "Numbers, or the bytes of 32-bit floats as Base64.")
      .optional("dimensions", &R::dimensions, schema::nullable(schema::integer({.ge = 1})),
                "Must equal the number of dimensions of the model.")
      .codec();
}

Result<std::string> embeddings(const EngineParts& parts, const EmbeddingRequest& request) {
  if (request.model != parts.name) return modelNotFound();
  Embedder* embedder = parts.embedder;
  if (embedder == nullptr) {
    return Error::invalidArgument(
        "This model generates text; for embeddings its engine must be started with --embeddings.");
  }
  const auto width = static_cast<std::int64_t>(embedder->width());
  if (request.dimensions.value_or(width) != width) {
    return Error::invalidArgument("dimensions: the embeddings of this model always have " +
                                  std::to_string(width) + " numbers.");
  }
  std::vector<std::vector<Token>> texts;
  std::int64_t tokens = 0;
  for (InputText& input : textsOf(parts.model, request.input, true)) {
    tokens += static_cast<std::int64_t>(input.tokens.size());
    texts.push_back(std::move(input.tokens));
  }
  const std::vector<std::vector<float>> rows = TRY(embedder->embed(texts));
  return embeddingsJson(request.model, rows,
                        request.encoding_format == "base64" ? EmbeddingEncoding::kBase64
                                                            : EmbeddingEncoding::kNumbers,
                        tokens);
}

}  // namespace

void addEmbeddingRoutes(http::Router& router, const EngineParts& parts) {
  for (const std::string_view path : {"/v1/embeddings", "/v1/embeddings/"}) {
    http::RouteGroup routes(router, enginePolicy(), {});
    routes.post(path,
                {path.ends_with('/') ? "embeddings_slash" : "embeddings", "Create embeddings."},
                {.body = requestCodec()},
                [parts](const EmbeddingRequest& request) -> Result<Reply<Nothing>> {
                  std::string made = TRY(embeddings(parts, request));
                  auto body = std::make_shared<http::PushedBody>(made.size() + 1);
                  body->tryPush(made);
                  body->finish();
                  Reply<Nothing> reply{Nothing{}};
                  reply.stream = body;
                  reply.headers.set("Content-Type", "application/json");
                  return reply;
                });
  }
}

}  // namespace spindle::engine
