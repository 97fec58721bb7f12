#include <charconv>

#include "base/crypto/crypto.h"
#include "http/message/origin.h"
#include "http/message/upload.h"
#include "http/message/uri.h"
#include "http/router/content.h"
#include "http/router/route_group.h"
#include "json/escape.h"
#include "registry/artifacts/names.h"
#include "registry/repositories/blob_repository.h"
#include "registry/repositories/version_repository.h"
#include "registry/routes/artifact_resolver.h"
#include "registry/routes/artifact_view.h"
#include "registry/routes/manifest_stream.h"
#include "registry/routes/upload_view.h"

namespace spindle::registry {
namespace {

using http::Context, http::Method, http::Nothing, http::Reply, http::Response, http::Route;
using schema::nullable, schema::string;

constexpr identity::Action kDownload = identity::Action::kDownloadFromRegistry;

struct FilesPath : VersionPath, http::PageQuery {
  std::string prefix;
};
struct FilePath : VersionPath {
  std::string path;
  bool redirect = false;
};
struct ResolveQuery {
  std::string path;
  std::string team;
  std::string project;
};

struct FileView {
  std::string path;
  std::int64_t size = 0;
  std::string digest;
  std::optional<std::string> ref;
  std::string url;
};

struct ResolvedView : VersionView {
  std::string entity;
  std::string project;
  std::optional<std::string> entry_path;
};

schema::Codec<FileView> fileViewCodec() {
  return schema::Record<FileView>("ArtifactFile")
      .required("path", &FileView::path, string())
      .required("size", &FileView::size, schema::integer(), "Bytes.")
      .required("digest", &FileView::digest, string(), "Base64 of the MD5.")
      .required("ref", &FileView::ref, nullable(string()), "URI of a reference.")
      .required("url", &FileView::url, string(), "URL of the file; requires an API key.")
      .codec();
}

std::string fileUrl(const Context& context, const VersionPath& path, const std::string& entry) {
  std::string url = http::originOf(context.request) + "/api/v1/";
  if (path.registry.empty()) {
    url += "projects/" + http::percentEncode(path.team) + "/" + http::percentEncode(path.project);
  } else {
    url += "registries/" + http::percentEncode(path.registry);
  }
  url += "/collections/" + http::percentEncode(path.collection) + "/versions/";
  return url + http::percentEncode(path.version) + "/files/" + http::percentEncode(entry, "/");
}

Result<http::PageReply<FileView>> listFiles(const RegistryServices& services,
                                            const Context& context,
                                            const FilesPath& path) {
  const FoundVersion found = TRY(readableVersion(services, context, path, kDownload));
  const std::string after = TRY(http::decodeCursor(path.cursor));
  const auto limit = static_cast<std::size_t>(path.limit);
  const std::vector<ManifestEntry> entries = TRY(
      services.versions.entries(found.version.id, path.prefix, after, static_cast<int>(limit) + 1));
  http::PageReply<FileView> page;
  for (const ManifestEntry& entry : entries) {
    if (page.items.size() == limit) {
      page.next_cursor = http::encodeCursor(page.items.back().path);
      break;
    }
    page.items.push_back(
        {entry.path, entry.size, entry.digest, entry.ref, fileUrl(context, path, entry.path)});
  }
  return page;
}

Result<Reply<Nothing>> showManifest(const RegistryServices& services,
                                    const Context& context,
                                    const VersionPath& path) {
  const FoundVersion found = TRY(readableVersion(services, context, path, kDownload));
  Reply reply(Nothing{});
  reply.with("Content-Type", "application/json");
  reply.stream = manifestStream(services.versions, found.version.id);
  return reply;
}

/// Converts a complete response into the reply of a handler.
Reply<Nothing> replyWith(Response response) {
  Reply reply(Nothing{});
  reply.status = response.status;
  reply.headers = std::move(response.headers);
  reply.stream = std::move(response.stream);
  return reply;
}

Result<Response> blobResponse(const http::Request& request, BlobContent blob, const BlobKey& key) {
  if (request.headers.find("Range") != nullptr) {
    TRY(blob.check());
  }
  http::Content content;
  content.size = blob.size();
  content.etag = "\"" + toHex(decodeBase64(key.digest).value_or("")) + "\"";
  auto shared = std::make_shared<BlobContent>(std::move(blob));
  content.read = [shared](std::uint64_t offset, std::size_t most) {
    return shared->read(offset, most);
  };
  return http::contentResponse(request, std::move(content));
}

Reply<Nothing> redirectTo(std::string_view url) {
  Reply reply(Nothing{});
  reply.status = 302;
  return reply.with("Location", url);
}

Result<Reply<Nothing>> readFile(const RegistryServices& services,
                                const Context& context,
                                const FilePath& path) {
  const FoundVersion found = TRY(readableVersion(services, context, path, kDownload));
  const ManifestEntry entry = TRY(services.versions.entry(found.version.id, path.path));
  if (entry.ref) {
    const bool web = entry.ref->starts_with("https://") || entry.ref->starts_with("http://");
    if (path.redirect && web) return redirectTo(*entry.ref);
    return Error::conflict("This entry is a reference; its bytes are not stored here.")
        .because("reference")
        .with("ref", json::quoted(*entry.ref));
  }
  const BlobKey key{entry.digest, entry.size};
  if (path.redirect) {
    const std::optional<std::string> direct =
        TRY(services.blobs.directUrl(found.version.team_id, key));
    if (direct) return redirectTo(*direct);
    return redirectTo(blobUrl(services, context, BlobUrlClaims::Use::kGet, found.version.team_id,
                              found.version.id, key));
  }
  BlobContent blob = TRY(services.blobs.open(found.version.team_id, key));
  Response response = TRY(blobResponse(context.request, std::move(blob), key));
  return replyWith(std::move(response));
}

Result<ResolvedView> resolve(const RegistryServices& services,
                             const Context& context,
                             const ResolveQuery& query) {
  const ResolvedVersion found = TRY(resolveVersion(
      services, context, query.path, {{query.team, query.project, {}}, {"query", "path"}},
      identity::Action::kViewRegistry));
  ResolvedView view;
  static_cast<VersionView&>(view) = VersionView(found.version);
  view.entity = found.place.entity;
  view.project = found.place.project;
  if (!found.entry_path.empty()) view.entry_path = found.entry_path;
  return view;
}

schema::Codec<ResolvedView> resolvedCodec() {
  schema::Record<ResolvedView> record("ResolvedArtifact");
  describeVersion(record);
  return record
      .required("entity", &ResolvedView::entity, string(),
                "Name of the team; `organization` for a registry.")
      .required("project", &ResolvedView::project, string(),
                "Name of the project; `svc-registry-<name>` for a registry.")
      .required("entry_path", &ResolvedView::entry_path, nullable(string()),
                "File inside the version, if the path names one.")
      .codec();
}

/// Streams the body of an upload request into a BlobReceiver.
class BlobUpload final : public http::Upload {
 public:
  BlobUpload(std::unique_ptr<BlobReceiver> intake, std::string etag, http::ErrorShape errors)
      : intake_(std::move(intake)), etag_(std::move(etag)), errors_(errors) {}

  std::optional<Response> take(std::string_view piece) override {
    const Result<void> added = intake_->add(piece);
    if (added) return std::nullopt;
    return http::errorResponse(added.error(), errors_);
  }

  Response finish() override {
    const Result<void> kept = intake_->finish();
    if (!kept) return http::errorResponse(kept.error(), errors_);
    Response response;
    response.headers.add("ETag", etag_);
    return response;
  }

 private:
  std::unique_ptr<BlobReceiver> intake_;
  std::string etag_;
  http::ErrorShape errors_;
};

/// Returns the error that the headers of an upload reveal, if any.
std::optional<Error> checkUploadHeaders(const http::Request& request, const BlobKey& promised) {
  const std::string_view length = request.headers.get("Content-Length");
  std::uint64_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (bytes > static_cast<std::uint64_t>(promised.size)) {
    return Error(ErrorCode::kTooLarge, "The file is larger than the manifest says.");
  }
  const std::string* md5 = request.headers.find("Content-MD5");
  if (md5 != nullptr && *md5 != promised.digest) {
    return Error(ErrorCode::kUnprocessable, "Content-MD5 differs from the manifest.")
        .because("md5_mismatch");
  }
  return std::nullopt;
}

Result<Response> receiveBlob(const RegistryServices& services,
                             const Context& context,
                             http::ErrorShape errors) {
  const BlobUrlClaims grant = TRY(services.tokens.read(
      context.path_parameters.front().second, BlobUrlClaims::Use::kPut, services.clock.now()));
  if (std::optional<Error> wrong = checkUploadHeaders(context.request, grant.blob)) return *wrong;
  std::unique_ptr<BlobReceiver> intake = TRY(services.blobs.receive(grant));
  Response response;
  response.stream = std::make_shared<BlobUpload>(
      std::move(intake), "\"" + toHex(decodeBase64(grant.blob.digest).value_or("")) + "\"", errors);
  return response;
}

Result<Response> sendBlob(const RegistryServices& services, const Context& context) {
  const BlobUrlClaims grant = TRY(services.tokens.read(
      context.path_parameters.front().second, BlobUrlClaims::Use::kGet, services.clock.now()));
  const std::optional<std::string> direct =
      TRY(services.blobs.directUrl(grant.team_id, grant.blob));
  if (direct) {
    Response response(302);
    response.headers.add("Location", *direct);
    return response;
  }
  BlobContent blob = TRY(services.blobs.open(grant.team_id, grant.blob));
  return blobResponse(context.request, std::move(blob), grant.blob);
}

void describeToken(json::Writer& out) {
  out.raw(R"({"name":"token","in":"path","required":true,"schema":{"type":"string"},)"
          R"("description":"Token of a signed URL."})");
}

void describeBytes(json::Writer& out, schema::Components& /*components*/) {
  out.key("contentMediaType").string("application/octet-stream");
}

Route blobRoute(Method method, http::RoutePolicy policy) {
  policy.credentials = http::Credentials::kOpen;
  Route route;
  route.method = method;
  route.path = "/api/v1/blobs/{token}";
  route.tag = kArtifactsTag;
  route.policy = policy;
  route.describe_parameters = [](json::Writer& out, schema::Components&) { describeToken(out); };
  return route;
}

void addBlobRoutes(RegistryRoutes routes) {
  const http::ErrorShape errors = routes.policy().errors;
  Route put = blobRoute(Method::kPut, routes.policy());
  put.operation_id = "putBlob";
  put.summary = "Upload a file";
  put.description = "Use a URL of `uploads`. Its token replaces the API key.";
  put.policy.body_limit = http::kStreamedBody;
  put.facts.statuses = {403, 409, 507};
  put.body_type = "application/octet-stream";
  put.describe_body = describeBytes;
  put.run = [services = routes.services(), errors](const Context& context) {
    Result<Response> response = receiveBlob(services, context, errors);
    return response ? *std::move(response) : http::errorResponse(response.error(), errors);
  };
  routes.router().addRoute(std::move(put));
  Route get = blobRoute(Method::kGet, routes.policy());
  get.operation_id = "getBlob";
  get.summary = "Download a file";
  get.description = "Use the URL of a redirect. Its token replaces the API key.";
  get.facts.content = true;
  get.facts.statuses = {302, 403, 502};
  get.reply_type = "application/octet-stream";
  get.describe_reply = describeBytes;
  get.run = [services = routes.services(), errors](const Context& context) {
    Result<Response> response = sendBlob(services, context);
    return response ? *std::move(response) : http::errorResponse(response.error(), errors);
  };
  routes.router().addRoute(std::move(get));
}

void addFileRoutes(const RegistryRoutes& routes, RouteBase base) {
  http::Parameters<VersionPath> version_path;
  http::Route& manifest = routes.get(
      pathBelow(base, "/collections/{collection}/versions/{version}/manifest"),
      {choose(base, "getManifest", "getRegistryManifest"), "Show the manifest of a version"},
      {.params = addVersionPath(version_path, base)}, showManifest);
  manifest.describe_reply = [](json::Writer& out, schema::Components&) {
    out.key("type").string("object");
  };
  http::Parameters<FilesPath> files_path = http::pageParameters<FilesPath>();
  addVersionPath(files_path, base)
      .query("prefix", &FilesPath::prefix, string(), "Only paths that begin with this text.");
  routes.get(pathBelow(base, "/collections/{collection}/versions/{version}/files"),
             {choose(base, "listFiles", "listRegistryFiles"), "List the files of a version",
              "In path order."},
             {.params = files_path, .reply = http::pageCodec("ArtifactFilePage", fileViewCodec())},
             listFiles);
  http::Parameters<FilePath> file_path;
  addVersionPath(file_path, base)
      .path("path", &FilePath::path, string(), "Path of the entry, with unescaped slashes.")
      .query("redirect", &FilePath::redirect, schema::boolean(),
             "Return 302 with a signed URL that is valid for one hour.");
  http::Route& file = routes.get(
      pathBelow(base, "/collections/{collection}/versions/{version}/files/{path...}"),
      {choose(base, "getFile", "getRegistryFile"), "Read a file of a version", "Supports `Range`."},
      {.params = file_path, .facts = {.statuses = {302, 409, 502}, .content = true}}, readFile);
  file.reply_type = "application/octet-stream";
  file.describe_reply = describeBytes;
}

}  // namespace

void addContentRoutes(RegistryRoutes routes) {
  addBlobRoutes(routes);
  for (const RouteBase base : kRouteBases) addFileRoutes(routes, base);
  routes.get(
      "/api/v1/artifacts/resolve", {"resolveArtifact", "Resolve the path of a version"},
      {.params = http::Parameters<ResolveQuery>()
                     .requiredQuery("path", &ResolveQuery::path, string({.max_length = 4096}),
                                    "`entity/project/name:version` or a `svc-artifact` URI.")
                     .query("team", &ResolveQuery::team, string(), "Team, if the path has none.")
                     .query("project", &ResolveQuery::project, string(),
                            "Project, if the path has none."),
       .reply = resolvedCodec()},
      resolve);
}

void addRegistryRoutes(RegistryRoutes routes) {
  routes.setTag(kArtifactsTag);
  addRegistryAdminRoutes(routes);
  addCollectionRoutes(routes);
  addVersionRoutes(routes);
  addVersionLabelRoutes(routes);
  addLinkRoutes(routes);
  addContentRoutes(routes);
}

}  // namespace spindle::registry
