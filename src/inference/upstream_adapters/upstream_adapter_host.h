#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/core/result.h"
#include "inference/adapters/peft_adapter.h"
#include "inference/catalogue/catalogue_cache.h"

namespace spindle::inference {

/// The right to use an adapter in an upstream. The server does not unload the adapter while a lease
/// exists.
class UpstreamAdapterLease {
 public:
  virtual ~UpstreamAdapterLease() = default;
  /// Returns the `model` to use in requests.
  virtual const std::string& model() const = 0;
  /// Reports that the upstream does not know the adapter, because it was restarted or because
  /// another server unloaded the adapter: the next acquire() loads it again. Thread-safe.
  virtual void lost() = 0;
};

/// The adapters in upstreams. An interface, so that the gateway can be tested without upstreams.
/// Thread-safe; no call blocks.
class UpstreamAdapterHost {
 public:
  using Ready = std::function<void(Result<std::shared_ptr<UpstreamAdapterLease>>)>;

  virtual ~UpstreamAdapterHost() = default;

  /// Loads the adapter into the upstream if needed and calls `ready` exactly once, immediately or
  /// later, on any thread; `ready` must not block. It receives a lease; kInvalidArgument for files
  /// that are no adapter; or kUnavailable, with `retry_after_seconds` if a retry makes sense.
  virtual void acquire(std::shared_ptr<const ReachableUpstream> upstream,
                       std::shared_ptr<const PeftAdapter> adapter,
                       Ready ready) = 0;
};

}  // namespace spindle::inference
