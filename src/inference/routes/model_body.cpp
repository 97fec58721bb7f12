#include "inference/routes/model_body.h"

#include <utility>

#include "inference/catalogue/catalogue_rules.h"
#include "inference/routes/enum_codec.h"
#include "schema/described.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "storage/blobs/blob_name.h"

namespace spindle::inference {
namespace {

using schema::Extra, schema::ifPresent, schema::nullable, schema::string;

constexpr std::size_t kMostTargets = 64;
constexpr std::size_t kMostFallbacks = 16;
constexpr std::size_t kMostTeams = 200;
constexpr std::int64_t kMostTokens = 100'000'000;
constexpr std::int64_t kMostTier = 1000;

schema::Codec<std::string> nameCodec() {
  const auto checked = schema::checked<std::string>(
      string({.pattern = kModelNamePattern}),
      [](const std::string& name) -> std::optional<schema::RuleError> {
        if (isModelName(name)) return std::nullopt;
        return schema::RuleError{"reserved_name", "Requests cannot use this name", {}};
      });
  return schema::described(checked, R"({"not":{"pattern":"(^|/)\\.{0,2}(/|$)|:///"}})");
}
schema::Codec<std::string> fileCodec() {
  return string({.min_length = 1, .max_length = 4096, .pattern = "^/"});
}
schema::Codec<std::string> ownerCodec() { return string({.min_length = 1, .max_length = 128}); }
schema::Codec<std::int64_t> tokensCodec() { return schema::integer({.ge = 0, .le = kMostTokens}); }
schema::Codec<std::vector<Ability>> abilitiesCodec() {
  return schema::list(enumCodec(kAbilities), {.min_items = 1, .max_items = 3});
}
schema::Codec<std::vector<TargetBody>> targetsCodec() {
  return schema::list(
      schema::Record<TargetBody>("ModelTarget", Extra::kForbid)
          .optional("upstream", &TargetBody::upstream, nullable(string()),
                    "Name of an upstream; null: the local engine, with the file.")
          .optional("model", &TargetBody::model, string({.max_length = 512}),
                    "Name of the model at the upstream; empty: the same name.")
          .optional("tier", &TargetBody::tier, schema::integer({.ge = 0, .le = kMostTier}),
                    "The lowest tier is tried first, the next one when all its targets fail.")
          .codec(),
      {.max_items = kMostTargets});
}
schema::Codec<std::vector<std::string>> fallbacksCodec() {
  return schema::list(string(), {.max_items = kMostFallbacks});
}
schema::Codec<std::vector<std::string>> teamsCodec() {
  return schema::list(string(), {.min_items = 1, .max_items = kMostTeams});
}

constexpr std::string_view kFileDoc = "Absolute path of a GGUF file on the server's machine.";
constexpr std::string_view kFolderDoc =
    "Absolute path of a Hugging Face folder on the server's machine: the base model for trainers "
    "that need one. The folder is not served.";
constexpr std::string_view kContextDoc =
    "Context length in tokens per request to the engine; 0: the value in the file, up to a limit.";
constexpr std::string_view kBootDoc =
    "Load the model when the server starts, not at the first request.";
constexpr std::string_view kTargetsDoc =
    "Model targets. A model with a file always includes its engine.";
constexpr std::string_view kFallbacksDoc =
    "Names of models that are tried in order when this model fails.";
constexpr std::string_view kTeamsDoc = "Names of the teams that may use it; null: all teams.";
constexpr std::string_view kOutputDoc = "Maximum number of tokens of one completion; 0: unknown.";

}  // namespace

schema::Codec<ModelBody> newModelCodec() {
  return schema::described(
      schema::Record<ModelBody>("NewModel", Extra::kForbid)
          .required("name", &ModelBody::name, nameCodec(),
                    "The `model` of requests; cannot be changed.")
          .optional("file", &ModelBody::given_file, nullable(fileCodec()), kFileDoc)
          .optional("upload", &ModelBody::upload, schema::boolean(),
                    "The file follows: `PUT /api/v1/model-files/{name}`. Until then, the model has "
                    "no engine and needs no target.")
          .optional("folder", &ModelBody::given_folder, nullable(fileCodec()), kFolderDoc)
          .optional("context", &ModelBody::context, tokensCodec(), kContextDoc)
          .optional("start_at_boot", &ModelBody::start_at_boot, schema::boolean(), kBootDoc)
          .optional("owned_by", &ModelBody::owned_by, ownerCodec(), "Owner in the model list.")
          .optional("abilities", &ModelBody::given_abilities, ifPresent(abilitiesCodec()),
                    "Supported kinds of requests; default: chat and completions.")
          .optional("targets", &ModelBody::given_targets, targetsCodec(), kTargetsDoc)
          .optional("fallbacks", &ModelBody::fallbacks, fallbacksCodec(), kFallbacksDoc)
          .optional("teams", &ModelBody::team_names, nullable(teamsCodec()), kTeamsDoc)
          .optional("max_output_tokens", &ModelBody::max_output_tokens, tokensCodec(), kOutputDoc)
          .codec(),
      R"({"anyOf":[{"properties":{"file":{"type":"string"}},"required":["file"]},)"
      R"({"properties":{"upload":{"const":true}},"required":["upload"]},)"
      R"({"properties":{"targets":{"minItems":1}},"required":["targets"]}]})");
}

schema::Codec<ModelChangeBody> modelChangeCodec() {
  using Body = ModelChangeBody;
  return schema::Record<Body>("ModelChange", Extra::kForbid)
      .optional("file", &Body::given_file, ifPresent(nullable(fileCodec())), kFileDoc)
      .optional("folder", &Body::given_folder, ifPresent(nullable(fileCodec())), kFolderDoc)
      .optional("context", &Body::context, ifPresent(tokensCodec()), kContextDoc)
      .optional("start_at_boot", &Body::start_at_boot, ifPresent(schema::boolean()), kBootDoc)
      .optional("owned_by", &Body::owned_by, ifPresent(ownerCodec()), "Owner in the model list.")
      .optional("abilities", &Body::abilities, ifPresent(abilitiesCodec()),
                "Supported kinds of requests.")
      .optional("targets", &Body::given_targets, ifPresent(targetsCodec()), kTargetsDoc)
      .optional("fallbacks", &Body::fallbacks, ifPresent(fallbacksCodec()), kFallbacksDoc)
      .optional("teams", &Body::team_names, ifPresent(nullable(teamsCodec())), kTeamsDoc)
      .optional("max_output_tokens", &Body::max_output_tokens, ifPresent(tokensCodec()), kOutputDoc)
      .codec();
}

schema::Codec<ModelView> modelViewCodec() {
  return schema::Record<ModelView>("CatalogueModel")
      .required("id", &ModelView::id, string(), "Assigned by the server.")
      .required("name", &ModelView::name, string(), "The `model` of requests.")
      .required("file", &ModelView::shown_file, nullable(string()), "For admins; null for others.")
      .required("file_sha256", &ModelView::file_sha256, nullable(string()),
                "SHA-256 of an uploaded file. For admins; null for others.")
      .required("file_bytes", &ModelView::file_bytes, nullable(schema::integer()),
                "Size of an uploaded file. For admins; null for others.")
      .required("folder", &ModelView::shown_folder, nullable(string()),
                "For admins; null for others.")
      .required("trainable", &ModelView::trainable, schema::boolean(),
                "Has a file or a folder on the server, so that it can be the base model of "
                "training.")
      .required("context", &ModelView::context, schema::integer(), kContextDoc)
      .required("start_at_boot", &ModelView::start_at_boot, schema::boolean(), kBootDoc)
      .required("owned_by", &ModelView::owned_by, string())
      .required("abilities", &ModelView::abilities, abilitiesCodec(),
                "Supported kinds of requests.")
      .required("targets", &ModelView::shown_targets, nullable(targetsCodec()),
                "For admins; null for others.")
      .required("fallbacks", &ModelView::fallbacks, fallbacksCodec(), kFallbacksDoc)
      .required("teams", &ModelView::team_names, nullable(schema::list(string())),
                "For admins: the teams that may use it. Null: all teams.")
      .required("max_output_tokens", &ModelView::max_output_tokens, schema::integer(), kOutputDoc)
      .required("created_at", &ModelView::created_at, schema::dateTime())
      .required("updated_at", &ModelView::updated_at, schema::dateTime())
      .codec();
}

ModelView viewOf(const Model& model, const TeamNames* names) {
  ModelView view;
  static_cast<Model&>(view) = model;
  view.trainable = model.hasFile() || !model.folder.empty();
  if (names == nullptr) return view;
  if (!model.file.empty()) view.shown_file = model.file;
  if (const std::optional<Sha256> digest = storage::parseBlobName(model.stored.blob)) {
    view.file_sha256 = toHex(*digest);
    view.file_bytes = model.stored.bytes;
  }
  if (!model.folder.empty()) view.shown_folder = model.folder;
  view.shown_targets.emplace();
  for (const Target& target : model.targets) {
    TargetBody& shown = view.shown_targets->emplace_back();
    if (!target.upstream.empty()) shown.upstream = target.upstream;
    shown.model = target.model;
    shown.tier = target.tier;
  }
  if (model.teams.empty()) return view;
  view.team_names.emplace();
  for (const std::string& id : model.teams) {
    const auto name = names->find(id);
    if (name != names->end()) view.team_names->push_back(name->second);
  }
  return view;
}

std::vector<Target> targetsOf(std::vector<TargetBody> bodies) {
  std::vector<Target> targets;
  for (TargetBody& body : bodies) {
    Target& target = targets.emplace_back();
    target.upstream = std::move(body.upstream).value_or("");
    target.model = std::move(body.model);
    target.tier = body.tier;
  }
  return targets;
}

}  // namespace spindle::inference
