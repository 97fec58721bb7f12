#pragma once

#include <optional>
#include <string>

namespace spindle::inference {

/// What the metadata of an artifact say about it as an adapter.
struct AdapterMetadata {
  /// `base_model`, which also stands under the prefixes of the platform in whichever spelling:
  /// `svc.base_model`, `svcp.base_model`.
  std::optional<std::string> base_model;
  bool identity = false;  ///< `identity`: it changes nothing
  bool trained = false;   ///< `model_id`: it is a checkpoint of a model that is trained here
};

/// Reads the JSON object of a version.
AdapterMetadata adapterMetadataOf(std::string metadata);

}  // namespace spindle::inference
