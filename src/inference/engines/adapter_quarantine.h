#pragma once

#include <string>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/engines/engine_host.h"

namespace spindle::inference {

/// An engine crash that is attributed to an adapter.
struct AdapterCrash {
  AdapterFile adapter;
  std::string model;   ///< the base model
  std::string reason;  ///< how the process ended, such as `was terminated by signal 6`
};

/// An adapter that engines do not load until an admin releases it.
struct QuarantinedAdapter {
  std::string id;        ///< name of the adapter file: a digest of its content
  std::string artifact;  ///< `entity/project/collection:vN` through which it was last used
  std::string model;
  std::string reason;
  Timestamp created_at = {};
};

/// Records quarantined adapters. An interface, so that the supervisor can be tested without a
/// database. Thread-safe; calls may block.
class AdapterQuarantine {
 public:
  virtual ~AdapterQuarantine() = default;
  /// Stores a record, replacing an earlier one of the same adapter. @return kUnavailable.
  virtual Result<void> add(const AdapterCrash& crash) = 0;
};

}  // namespace spindle::inference
