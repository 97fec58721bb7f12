#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/core/time.h"
#include "http/message/message.h"
#include "inference/catalogue/catalogue.h"
#include "inference/catalogue/catalogue_cache.h"
#include "inference/catalogue/operation.h"
#include "inference/engines/engine_host.h"
#include "inference/gateway/balancer.h"
#include "inference/gateway/request_text.h"
#include "inference/gateway/reservation.h"
#include "inference/limits/usage_limiter.h"
#include "inference/upstream_adapters/upstream_adapter_host.h"
#include "inference/usage/recorder.h"
#include "inference/usage/traced_completion.h"
#include "pricing/price.h"

namespace spindle::http {
class LocalClients;
}

namespace spindle::inference {

/// The services of the relay; all must outlive the requests in progress.
struct RelayPorts {
  http::LocalClients& clients;
  Balancer& balancer;
  EngineHost& engines;
  UpstreamAdapterHost& upstream_adapters;
  Recorder& recorder;
  const Clock& clock;
};

/// An admitted request.
struct RelayRequest : GatewayCaller {
  Operation operation = Operation::kChat;
  std::string model;  ///< as the client requested it
  RequestText text;
  bool stream = false;
  bool wants_usage = false;  ///< the client requested the usage at the end of the stream
  /// Let an engine return token ids and logprobs, unless the request sets the option itself.
  bool returns_token_ids = false;
  bool traced = false;
  Timestamp started_at = {};
  std::chrono::steady_clock::time_point began = {};

  std::shared_ptr<const CatalogueSnapshot> directory;
  std::shared_ptr<const Model> base;  ///< the model that `model` resolves to
  /// The adapter for engines and for upstreams. Both null: no adapter. One of them null: only
  /// targets of the other kind serve the request.
  std::shared_ptr<const AdapterFile> adapter;
  std::shared_ptr<const PeftAdapter> peft;
  Reservation reserved = {};
  UsageLimiter::Admission admission = {};
  pricing::TokenPrices prices = {};
};

/// Forwards a request to the first replica that responds. It tries the replicas of the lowest tier,
/// then of the next tiers, then the fallbacks of the model, until the first byte of a response. It
/// streams that response to the client at the speed at which the client reads, without a thread.
/// @return a response that is completed later.
http::Response relay(const RelayPorts& ports, RelayRequest request);

}  // namespace spindle::inference
