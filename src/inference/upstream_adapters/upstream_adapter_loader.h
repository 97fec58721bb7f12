#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/metrics.h"
#include "inference/upstream_adapters/peft_folder.h"
#include "inference/upstream_adapters/upstream_adapter_host.h"

namespace spindle::inference {

/// An adapter that this server has loaded into an upstream, or that a server loaded before it.
struct LoadedUpstreamAdapter {
  std::string name;      ///< its model name in the upstream
  std::string artifact;  ///< `entity/project/collection:vN`; empty if an earlier server loaded it
  std::size_t requests = 0;  ///< requests that use it
};

/// Loads adapters into upstreams on first use, and unloads the least recently used one when the
/// limit of the upstream is reached.
///
/// Requests for one adapter share its loading. A failure is remembered for a short time, in which
/// requests fail at once. Adapters that an earlier server loaded are found in the model list of the
/// upstream and count as least recently used. Several servers may use one upstream: each observes
/// its own limit, and an adapter that another server unloaded is loaded again (see
/// UpstreamAdapterLease::lost()).
///
/// Thread-safe. Own threads read adapters from the store; requests to upstreams need no thread.
class UpstreamAdapterLoader final : public UpstreamAdapterHost {
 public:
  struct Options {
    std::chrono::milliseconds failure_pause{10'000};
    std::size_t most_waiting = 1024;  ///< waiting requests per upstream
    std::size_t threads = 2;
  };

  /// The folder and the metrics must outlive this object.
  UpstreamAdapterLoader(PeftFolder& folder, MetricRegistry& metrics, Options options);
  /// Calls stop().
  ~UpstreamAdapterLoader() override;
  UpstreamAdapterLoader(const UpstreamAdapterLoader&) = delete;
  UpstreamAdapterLoader& operator=(const UpstreamAdapterLoader&) = delete;

  /// Rejects waiting and later requests and joins the threads. Leases may outlive this object.
  void stop();

  void acquire(std::shared_ptr<const ReachableUpstream> upstream,
               std::shared_ptr<const PeftAdapter> adapter,
               Ready ready) override;

  /// Returns the loaded adapters of an upstream, sorted by name.
  std::vector<LoadedUpstreamAdapter> loaded(std::string_view upstream_id) const;

 private:
  class Core;

  const std::shared_ptr<Core> core_;  ///< shared with leases and callbacks
};

}  // namespace spindle::inference
