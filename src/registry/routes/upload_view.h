#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/router/route.h"
#include "registry/artifacts/artifact.h"
#include "registry/artifacts/blob_url_signer.h"
#include "registry/routes/registry_api.h"
#include "schema/compound.h"

namespace spindle::registry {

/// The JSON representation of one upload: the request that the client must send.
struct UploadView {
  std::string path;
  std::string digest;
  std::string method = "PUT";
  std::string url;
  schema::MapOf<std::string> headers;
};

schema::Codec<UploadView> uploadViewCodec();

/// Returns a signed URL to upload or download a file, valid for one hour.
std::string blobUrl(const RegistryServices& services,
                    const http::Context& context,
                    BlobUrlClaims::Use use,
                    std::string_view team_id,
                    std::int64_t version_id,
                    const BlobKey& blob);

/// Returns the uploads for the missing files of a pending version.
std::vector<UploadView> uploadsOf(const RegistryServices& services,
                                  const http::Context& context,
                                  const Place& place,
                                  std::int64_t version_id,
                                  const std::vector<ManifestEntry>& missing);

}  // namespace spindle::registry
