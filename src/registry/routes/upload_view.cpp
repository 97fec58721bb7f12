#include "registry/routes/upload_view.h"

#include <chrono>

#include "http/message/origin.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::registry {
namespace {

constexpr std::chrono::hours kSignedUrlLifetime{1};

}  // namespace

schema::Codec<UploadView> uploadViewCodec() {
  using schema::string;
  return schema::Record<UploadView>("ArtifactUpload")
      .required("path", &UploadView::path, string(), "Path of the first entry with this file.")
      .required("digest", &UploadView::digest, string(), "Base64 of the MD5.")
      .required("method", &UploadView::method, string())
      .required("url", &UploadView::url, string(), "Signed URL, valid for one hour.")
      .required("headers", &UploadView::headers, schema::map(string()), "Headers to send.")
      .codec();
}

std::string blobUrl(const RegistryServices& services,
                    const http::Context& context,
                    BlobUrlClaims::Use use,
                    std::string_view team_id,
                    std::int64_t version_id,
                    const BlobKey& blob) {
  BlobUrlClaims grant;
  grant.use = use;
  grant.team_id = team_id;
  grant.version_id = version_id;
  grant.blob = blob;
  grant.expires_at = services.clock.now() + kSignedUrlLifetime;
  return http::originOf(context.request) + "/api/v1/blobs/" + services.tokens.issue(grant);
}

std::vector<UploadView> uploadsOf(const RegistryServices& services,
                                  const http::Context& context,
                                  const Place& place,
                                  std::int64_t version_id,
                                  const std::vector<ManifestEntry>& missing) {
  std::vector<UploadView> uploads;
  uploads.reserve(missing.size());
  for (const ManifestEntry& entry : missing) {
    UploadView& upload = uploads.emplace_back();
    upload.path = entry.path;
    upload.digest = entry.digest;
    upload.url = blobUrl(services, context, BlobUrlClaims::Use::kPut, place.team_id, version_id,
                         {entry.digest, entry.size});
    upload.headers = {{"Content-MD5", entry.digest}};
  }
  return uploads;
}

}  // namespace spindle::registry
