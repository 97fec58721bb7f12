#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "registry/artifacts/artifact.h"

namespace spindle::registry {
class BlobContent;
class BlobRepository;
class VersionRepository;
}  // namespace spindle::registry

namespace spindle::training {

using ByteSink = std::function<Result<void>(std::string_view bytes)>;

/// A file to write. `read` sends its bytes to a sink and gives the same bytes every time.
struct ArtifactFile {
  std::string name;
  std::string md5;  ///< Base64
  std::int64_t size = 0;
  std::function<Result<void>(const ByteSink& sink)> read;
};

/// Returns a file whose bytes are in memory.
ArtifactFile fileOf(std::string name, std::string bytes);
/// Sends the content of a blob to a sink in chunks.
Result<void> copyTo(registry::BlobContent& content, const ByteSink& sink);

/// Creates artifact versions from files that the server has. Thread-safe; blocks.
class ArtifactWriter {
 public:
  /// All arguments must outlive this object.
  ArtifactWriter(registry::VersionRepository& versions,
                 registry::BlobRepository& blobs,
                 const Clock& clock)
      : versions_(versions), blobs_(blobs), clock_(clock) {}

  /// Creates and commits a version. Fills `fresh.manifest` from the files. The same files in the
  /// same collection give the same version.
  /// @return kConflict `type_clash`, kInvalidArgument, kStorageFull, kUnavailable, errors of files
  Result<registry::Version> write(const registry::Place& place,
                                  const registry::Actor& actor,
                                  registry::NewVersion fresh,
                                  const std::vector<ArtifactFile>& files);

 private:
  Result<void> upload(const registry::Place& place,
                      std::int64_t version_id,
                      const ArtifactFile& file);

  registry::VersionRepository& versions_;
  registry::BlobRepository& blobs_;
  const Clock& clock_;
};

}  // namespace spindle::training
