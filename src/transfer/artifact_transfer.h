#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/artifact_address.h"

namespace spindle::transfer {

class ArtifactServer;
class Progress;

struct PutArtifact {
  ArtifactAddress to;  ///< a collection of a project
  std::string type;
  std::vector<std::string> inputs;  ///< files, and folders with all that is in them
  std::vector<std::string> aliases = {};
  std::vector<std::string> tags = {};
  std::optional<std::string> description = {};
};
struct PutOutcome {
  std::string id;          ///< `art_…`
  std::int64_t index = 0;  ///< of the version
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t sent_bytes = 0;  ///< the rest was on the server already
  bool was_there = false;       ///< the collection had the same content
};
/// Makes a version of local files. Each file is read once for its MD5, and once more if the server
/// does not have it: a second try sends only what is missing. Memory does not grow with the files.
Result<PutOutcome> putArtifact(ArtifactServer& server,
                               Progress& progress,
                               const PutArtifact& wanted);

struct GetOutcome {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t fetched_files = 0;  ///< the rest was in the folder already
  std::int64_t references = 0;     ///< entries whose bytes are elsewhere
};
/// Writes the files of a version below a folder. What is there with the right bytes stays, what was
/// begun is continued, and every file is checked against its MD5 before it gets its name.
Result<GetOutcome> getArtifact(ArtifactServer& server,
                               Progress& progress,
                               const ArtifactAddress& from,
                               const std::string& folder);

}  // namespace spindle::transfer
