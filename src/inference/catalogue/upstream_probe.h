#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto/secret.h"
#include "inference/catalogue/catalogue.h"

namespace spindle::http {
class Client;
}

namespace spindle::inference {

/// The result of requesting the model list of an upstream.
struct UpstreamProbe {
  bool success = false;                   ///< the upstream returned a list of models
  std::optional<int> status = {};         ///< absent without a response
  std::vector<std::string> models = {};   ///< names of the models, up to a limit
  std::optional<std::string> error = {};  ///< error message without the key
  std::chrono::milliseconds duration{0};
};

/// Requests `<url>/models` with the key. Blocks for at most ten seconds.
UpstreamProbe probeUpstream(http::Client& client, const Upstream& upstream, const Secret& key);

}  // namespace spindle::inference
