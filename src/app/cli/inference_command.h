#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/server_flags.h"

namespace spindle::app {

/// An action on a model or an upstream.
struct NamedAction {
  std::string name;
};
/// Removes a model or an upstream.
struct RemoveAction : NamedAction {
  bool force = false;  ///< also if others use it
};

struct AddModel {
  std::string name;
  std::optional<std::string> file = {};
  bool upload = false;  ///< send the file to the server
  std::optional<std::string> folder = {};
  std::vector<std::string> upstreams = {};  ///< UPSTREAM or UPSTREAM=MODEL
  std::vector<std::int64_t> tiers = {};     ///< tier of each upstream, in the same order
  std::vector<std::string> fallbacks = {};
  std::vector<std::string> teams = {};
  std::vector<std::string> abilities = {};
  std::optional<std::int64_t> context = {};
  std::optional<std::int64_t> max_output = {};
  std::optional<std::string> owned_by = {};
  bool start_at_boot = false;
};
struct UploadModel {
  std::string name;
  std::string file;
};
struct ListModels {};
struct ShowModel : NamedAction {};
struct RemoveModel : RemoveAction {};

struct ListEngines {};
struct UnloadEngine {
  std::string model;
};
struct ListQuarantine {};
struct ReleaseAdapter {
  std::string id;
};

struct AddUpstream {
  std::string name;
  std::string address;
  bool key_from_input = false;
  std::optional<std::string> key_variable = {};
  std::optional<std::string> connect_timeout = {};  ///< such as 5s
  std::optional<std::string> first_token_timeout = {};
  std::optional<std::string> idle_timeout = {};
  std::optional<std::string> health_path = {};
  bool no_stream_usage = false;
  std::optional<std::string> adapters = {};
  std::optional<std::string> adapter_path = {};
  std::optional<std::string> adapter_receiver = {};
  std::optional<std::int64_t> max_adapters = {};
  std::optional<std::string> adapter_load_timeout = {};
};
struct ListUpstreams {};
struct ShowUpstream : NamedAction {};
struct RemoveUpstream : RemoveAction {};
struct TestUpstream : NamedAction {};
struct ListUpstreamAdapters : NamedAction {};

struct SetLimit {
  std::string subject;  ///< team/project, or the key_id of an API key
  // Each is a number, or `none` to remove the limit.
  std::optional<std::string> concurrency = {};
  std::optional<std::string> requests = {};
  std::optional<std::string> tokens = {};
  std::optional<std::string> budget = {};
  std::optional<std::string> period = {};
};
struct ListLimits {};
struct RemoveLimit {
  std::string subject;
};

struct ShowUsage {
  std::string by = "day,model";
  std::optional<std::string> from = {};
  std::optional<std::string> to = {};
  std::optional<std::string> project = {};
  std::optional<std::string> model = {};
  std::optional<std::string> user = {};
  std::optional<std::string> api_key = {};
};

/// `spindle model | engine | upstream | limit | usage`.
using InferenceCommand = ManagementCommand<AddModel,
                                           UploadModel,
                                           ListModels,
                                           ShowModel,
                                           RemoveModel,
                                           ListEngines,
                                           UnloadEngine,
                                           ListQuarantine,
                                           ReleaseAdapter,
                                           AddUpstream,
                                           ListUpstreams,
                                           ShowUpstream,
                                           RemoveUpstream,
                                           TestUpstream,
                                           ListUpstreamAdapters,
                                           SetLimit,
                                           ListLimits,
                                           RemoveLimit,
                                           ShowUsage>;

}  // namespace spindle::app
