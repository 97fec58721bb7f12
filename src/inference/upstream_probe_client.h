#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "inference/catalogue.h"

namespace spindle::http {
class Client;
}

namespace spindle::inference {

/// What an upstream said when it was asked for its models.
struct UpstreamProbe {
  bool success = false;                   ///< it answered with a list of models
  std::optional<int> status = {};         ///< none: it did not answer
  std::vector<std::string> models = {};   ///< their names, up to a bound
  std::optional<std::string> error = {};  ///< in words, without the key
  std::chrono::milliseconds duration{0};
};

/// Asks `<url>/models` with the key, and waits for it, ten seconds at most.
UpstreamProbe probeUpstream(http::Client& client, const Upstream& upstream, const Secret& key);

}  // namespace spindle::inference
