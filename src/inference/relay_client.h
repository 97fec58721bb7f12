#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "http/message.h"
#include "inference/balancer.h"
#include "inference/catalogue.h"
#include "inference/engine_host.h"
#include "inference/limit_keeper.h"
#include "inference/model_directory.h"
#include "inference/operation.h"
#include "inference/recorder.h"
#include "inference/request_text_json.h"
#include "inference/reservation.h"
#include "pricing/price.h"

namespace spindle::http {
class LocalClients;
}

namespace spindle::inference {

/// What the gateway works with. Everything must outlive the requests under way.
struct RelayPorts {
  http::LocalClients& clients;
  Balancer& balancer;
  EngineHost& engines;
  Recorder& recorder;
  const Clock& clock;
};

/// A request that was let in.
struct RelayRequest {
  Operation operation = Operation::kChat;
  std::string request_id;
  std::string user_id;
  std::string key_id;
  std::string team_id;
  std::string project_id;
  std::string project;  ///< entity/project
  std::string model;    ///< as asked for
  RequestText text;
  bool stream = false;
  bool wants_usage = false;  ///< at the end of a stream
  /// Have an engine tell tokens and their logprobs, unless the request itself says.
  bool tells_tokens = false;
  bool traced = false;
  std::string traceparent;
  Timestamp started_at = {};
  std::chrono::steady_clock::time_point began = {};

  std::shared_ptr<const Directory> directory;
  std::shared_ptr<const Model> base;           ///< what `model` stands for
  std::shared_ptr<const AdapterFile> adapter;  ///< on top of it; null: none
  Reservation reserved = {};
  LimitKeeper::Admission admission = {};
  pricing::TokenPrices prices = {};
};

/// Sends the request to the first replica that answers: those of the lowest tier, the tiers behind
/// it, the fallbacks of the model, in this order, and only until the first byte of an answer. That
/// answer goes to the client as it comes, at the pace at which the client reads, without a thread.
/// @return the promise of it.
http::Response relay(const RelayPorts& ports, RelayRequest request);

}  // namespace spindle::inference
