#include "inference/adapters/adapter_resolver.h"

#include "registry/artifacts/artifact_path.h"

namespace spindle::inference {

bool isArtifactName(std::string_view text) { return registry::isArtifactUri(text); }

}  // namespace spindle::inference
