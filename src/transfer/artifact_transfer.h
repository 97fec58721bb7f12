#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "transfer/remote_artifact_path.h"

namespace spindle::transfer {

class ArtifactApiClient;
class Progress;

struct PutArtifact {
  RemoteArtifactPath to;  ///< a collection of a project
  std::string type;
  std::vector<std::string> inputs;  ///< files, and folders with all their files
  std::vector<std::string> aliases = {};
  std::vector<std::string> tags = {};
  std::optional<std::string> description = {};
};
struct PutArtifactOutcome {
  std::string id;          ///< `art_…`
  std::int64_t index = 0;  ///< the number of the version
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t sent_bytes = 0;   ///< the server had the rest already
  bool already_existed = false;  ///< the collection had a version with the same content
};
/// Creates a version from local files. Reads each file once for its MD5, and once more if the
/// server does not have it: a retry sends only the missing files. Memory use does not depend on the
/// size of the files.
Result<PutArtifactOutcome> putArtifact(ArtifactApiClient& server,
                                       Progress& progress,
                                       const PutArtifact& wanted);

struct GetArtifactOutcome {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t fetched_files = 0;  ///< the folder had the rest already
  std::int64_t references = 0;     ///< entries that refer to files elsewhere
};
/// Downloads the files of a version into a folder. Keeps files that already have the right content,
/// continues partial downloads, and checks the MD5 of every file before the file gets its name.
Result<GetArtifactOutcome> getArtifact(ArtifactApiClient& server,
                                       Progress& progress,
                                       const RemoteArtifactPath& from,
                                       const std::string& folder);

}  // namespace spindle::transfer
