#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "registry/artifact.h"

namespace spindle::registry {
class BlobContent;
class BlobRepository;
class VersionRepository;
}  // namespace spindle::registry

namespace spindle::training {

using ByteSink = std::function<Result<void>(std::string_view bytes)>;

/// A file to be: its bytes come from `read`, the same ones every time.
struct ArtifactFile {
  std::string name;
  std::string md5;  ///< Base64
  std::int64_t size = 0;
  std::function<Result<void>(const ByteSink& sink)> read;
};

/// A file whose bytes are at hand.
ArtifactFile fileOf(std::string name, std::string bytes);
/// Gives the bytes of some content, piece by piece.
Result<void> copyTo(registry::BlobContent& content, const ByteSink& sink);

/// Makes versions of the registry out of files that the server has itself. Thread-safe; blocks.
class ArtifactWriter {
 public:
  /// Everything given must outlive this.
  ArtifactWriter(registry::VersionRepository& versions,
                 registry::BlobRepository& blobs,
                 const Clock& clock)
      : versions_(versions), blobs_(blobs), clock_(clock) {}

  /// `fresh.manifest` is made of the files. Committed when the call returns; the same files in the
  /// same collection are the same version.
  /// @return kConflict `type_clash`, kInvalidArgument, kStorageFull, kUnavailable, what files
  /// return
  Result<registry::Version> write(const registry::Place& place,
                                  const registry::Actor& actor,
                                  registry::NewVersion fresh,
                                  const std::vector<ArtifactFile>& files);

 private:
  Result<void> bring(const registry::Place& place,
                     std::int64_t version_id,
                     const ArtifactFile& file);

  registry::VersionRepository& versions_;
  registry::BlobRepository& blobs_;
  const Clock& clock_;
};

}  // namespace spindle::training
