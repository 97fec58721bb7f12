#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "inference/engine_host.h"

namespace spindle::inference {

/// A crash of an engine for which an adapter is held responsible.
struct AdapterCrash {
  AdapterFile adapter;
  std::string model;   ///< the base model
  std::string reason;  ///< how the process ended: `was ended by signal 6`
};

/// An adapter that engines load no more until an administrator releases it.
struct QuarantinedAdapter {
  std::string id;        ///< name of the adapter's file: a digest of its content
  std::string artifact;  ///< `entity/project/collection:vN` through which it was last used
  std::string model;
  std::string reason;
  Timestamp created_at = {};
};

/// Records quarantined adapters. A port, so that the supervisor can be tested without a database.
/// Thread-safe; calls may block.
class AdapterQuarantine {
 public:
  virtual ~AdapterQuarantine() = default;
  /// Replaces an earlier record of the same adapter. @return kUnavailable.
  virtual Result<void> add(const AdapterCrash& crash) = 0;
};

}  // namespace spindle::inference
