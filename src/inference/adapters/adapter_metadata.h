#pragma once

#include <optional>
#include <string>

namespace spindle::inference {

/// The adapter properties in the metadata of an artifact version.
struct AdapterMetadata {
  /// `base_model`, also with the prefixes of the platform in either spelling: `svc.base_model`,
  /// `svcp.base_model`.
  std::optional<std::string> base_model;
  bool identity = false;  ///< `identity`: the adapter does not change the base model
  bool trained = false;   ///< `model_id`: a checkpoint of a model that this server trains
};

/// Parses the metadata (a JSON object) of an artifact version.
AdapterMetadata adapterMetadataOf(std::string metadata);

}  // namespace spindle::inference
