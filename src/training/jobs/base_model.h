#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "storage/folder/file_cache.h"

namespace spindle::training {

/// A file with the metadata and the tensor list of a base model. It stays on disk while the pointer
/// exists.
using HeaderFile = std::shared_ptr<const storage::CachedFile>;

/// A base model in the catalogue.
struct BaseModel {
  std::string name;
  std::string file;         ///< GGUF, absolute; empty if there is none on this machine
  std::string folder = {};  ///< Hugging Face folder, absolute; empty if there is none
  std::string blob = {};    ///< GGUF in the blob store (storage::blobNameText()); may be empty
  std::int64_t blob_bytes = 0;
  /// Makes the header file of the blob; blocks on the blob store.
  std::function<Result<HeaderFile>()> header = {};

  bool hasFile() const { return !file.empty() || !blob.empty(); }
  bool isTrainable() const { return hasFile() || !folder.empty(); }
  /// Returns a file with the metadata and the tensor list of the GGUF file; the data of tensors may
  /// be missing. @return kNotFound without a GGUF file; kUpstream, kUnavailable.
  Result<HeaderFile> headerFile() const;
};

/// Finds a base model by name for a team that may use it. Thread-safe.
using BaseModels =
    std::function<std::optional<BaseModel>(std::string_view team_id, std::string_view name)>;

}  // namespace spindle::training
