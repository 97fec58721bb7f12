#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.h"
#include "base/time.h"

namespace spindle::inference {

/// How long the gateway waits for an upstream.
struct UpstreamTimeouts {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds first_token{120'000};  ///< from sending until the answer begins
  std::chrono::milliseconds idle{60'000};          ///< between two pieces of a stream

  bool operator==(const UpstreamTimeouts&) const = default;
};

/// An OpenAI-compatible server that requests are sent on to.
struct Upstream {
  std::string id;
  std::string name;  ///< unique; what people call it
  std::string url;   ///< up to `/v1`, without a slash at the end
  UpstreamTimeouts timeouts = {};
  bool stream_usage = true;             ///< understands `stream_options.include_usage`
  std::string health_path = "/models";  ///< behind `url`; empty: it is never asked
  bool has_key = false;
  std::int64_t version = 1;
  Timestamp created_at = {};
  Timestamp updated_at = {};
};

/// What a model can be asked for.
enum class Ability { kChat, kCompletions, kEmbeddings };

/// `chat`, `completions`, `embeddings`.
std::string_view textOf(Ability ability);
std::optional<Ability> abilityOf(std::string_view text);

/// One place that answers for a model.
struct Target {
  std::string upstream_id = {};  ///< empty: the engine on this machine, with the model's file
  std::string model = {};        ///< what it is called there; empty: as here
  std::int64_t tier = 0;         ///< the lowest is asked first; the others when it fails, in order
  std::string upstream = {};     ///< the upstream's name; empty: the engine

  bool operator==(const Target&) const = default;
};

/// A model that can be asked for by name. With a file it is served by an engine on this machine,
/// and then it has that engine as a target.
struct Model {
  std::string id;
  std::string name;       ///< unique; the `model` of a request
  std::string file = {};  ///< GGUF, absolute; empty: upstream only
  std::int64_t context =
      0;  ///< tokens for each request to the engine; 0: what the file says, capped
  bool start_at_boot = false;
  std::string owned_by = "system";
  std::vector<Ability> abilities = {Ability::kChat, Ability::kCompletions};
  std::vector<Target> targets = {};
  std::vector<std::string> fallbacks = {};  ///< names of other models, asked in order
  std::vector<std::string> teams = {};      ///< ids of those that may use it; empty: every team
  std::int64_t max_output_tokens = 0;       ///< most that one answer has; 0: unknown
  std::int64_t version = 1;
  Timestamp created_at = {};
  Timestamp updated_at = {};
};

}  // namespace spindle::inference
