#include "training/jobs/base_model.h"

namespace spindle::training {

Result<HeaderFile> BaseModel::headerFile() const {
  if (!file.empty()) {
    return std::make_shared<const storage::CachedFile>(storage::CachedFile{{}, file});
  }
  if (!header) return Error::notFound("The base model has no GGUF file.");
  return header();
}

}  // namespace spindle::training
