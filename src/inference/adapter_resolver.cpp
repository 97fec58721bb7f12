#include "inference/adapter_resolver.h"

#include "registry/artifact_path.h"

namespace spindle::inference {

bool isArtifactName(std::string_view text) { return registry::isArtifactUri(text); }

}  // namespace spindle::inference
