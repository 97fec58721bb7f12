#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/route.h"
#include "registry/artifact.h"
#include "registry/blob_token.h"
#include "registry/registry_api.h"
#include "schema/compound.h"

namespace spindle::registry {

/// What to send where.
struct UploadView {
  std::string path;
  std::string digest;
  std::string method = "PUT";
  std::string url;
  schema::MapOf<std::string> headers;
};

schema::Codec<UploadView> uploadViewCodec();

/// A URL that brings or fetches a file without a key, for an hour.
std::string blobUrl(const RegistryServices& services,
                    const http::Context& context,
                    BlobGrant::Use use,
                    std::string_view team_id,
                    std::int64_t version_id,
                    const BlobKey& blob);

/// The uploads that a pending version waits for.
std::vector<UploadView> uploadsOf(const RegistryServices& services,
                                  const http::Context& context,
                                  const Place& place,
                                  std::int64_t version_id,
                                  const std::vector<ManifestEntry>& missing);

}  // namespace spindle::registry
