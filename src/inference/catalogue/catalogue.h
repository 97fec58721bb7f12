#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"
#include "base/crypto/secret.h"
#include "inference/catalogue/enum_texts.h"

namespace spindle::inference {

/// The timeouts of the gateway for an upstream.
struct UpstreamTimeouts {
  std::chrono::milliseconds connect{5'000};
  std::chrono::milliseconds first_token{120'000};  ///< from sending to the start of the response
  std::chrono::milliseconds idle{60'000};          ///< between two chunks of a stream

  bool operator==(const UpstreamTimeouts&) const = default;
};

/// How trained adapters get into an upstream.
enum class AdapterLoading {
  kNone,  ///< the upstream serves no adapters
  kVllm,  ///< vLLM's `/v1/load_lora_adapter`
};

inline constexpr EnumTexts<AdapterLoading, 2> kAdapterLoadings = {
    {{AdapterLoading::kNone, "none"}, {AdapterLoading::kVllm, "vllm"}}};

AdapterLoading adapterLoadingOf(std::string_view text);
std::string_view textOf(AdapterLoading loading);

/// The adapters of an upstream.
struct UpstreamAdapters {
  AdapterLoading loading = AdapterLoading::kNone;
  /// The folder of adapters as the upstream sees it; empty: the same path as on this machine.
  std::string path = {};
  /// URL of the adapter receiver on the upstream's host; empty: both machines share the folder.
  std::string receiver = {};
  std::int64_t most = 8;           ///< adapters that this server keeps loaded
  std::int64_t load_ms = 120'000;  ///< timeout of the transfer, and of the loading

  bool operator==(const UpstreamAdapters&) const = default;
};

/// A server with an OpenAI-compatible API that the gateway forwards requests to.
struct Upstream {
  std::string id;
  std::string name;  ///< unique; the name that people use
  std::string url;   ///< up to `/v1`, without a trailing slash
  UpstreamTimeouts timeouts = {};
  bool stream_usage = true;             ///< supports `stream_options.include_usage`
  std::string health_path = "/models";  ///< appended to `url`; empty: no health check
  UpstreamAdapters adapters = {};
  bool has_key = false;
  std::int64_t version = 1;
  Timestamp created_at = {};
  Timestamp updated_at = {};
};

/// A kind of request that a model supports.
enum class Ability { kChat, kCompletions, kEmbeddings };

inline constexpr EnumTexts<Ability, 3> kAbilities = {{{Ability::kChat, "chat"},
                                                      {Ability::kCompletions, "completions"},
                                                      {Ability::kEmbeddings, "embeddings"}}};

std::string_view textOf(Ability ability);

/// A model target: an upstream or the local engine that serves a model.
struct Target {
  std::string upstream_id = {};  ///< empty: the local engine, with the model's file
  std::string model = {};        ///< name of the model at the upstream; empty: the same name
  std::int64_t tier = 0;         ///< the lowest tier is tried first; then the others, in order
  std::string upstream = {};     ///< name of the upstream; empty: the local engine

  bool operator==(const Target&) const = default;
};

/// A GGUF file in the blob store.
struct StoredModelFile {
  std::string blob = {};          ///< result of storage::blobNameText(); empty: there is none
  std::int64_t bytes = 0;         ///< size of the file
  std::int64_t header_bytes = 0;  ///< the metadata and the tensor list, at the start of the file

  bool operator==(const StoredModelFile&) const = default;
};

/// A model that clients request by name. If it has a file, the local engine serves it and is one of
/// its targets. Trainers use the file or the folder as a base model.
struct Model {
  std::string id;
  std::string name;             ///< unique; the `model` of a request
  std::string file = {};        ///< absolute path of a GGUF file; empty: none on this machine
  StoredModelFile stored = {};  ///< a file in the blob store; never together with `file`
  std::string folder = {};  ///< absolute path of a Hugging Face folder, for trainers; may be empty
  /// Context length in tokens per request to the engine; 0: the value in the file, limited.
  std::int64_t context = 0;
  bool start_at_boot = false;
  std::string owned_by = "system";
  std::vector<Ability> abilities = {Ability::kChat, Ability::kCompletions};
  std::vector<Target> targets = {};
  std::vector<std::string> fallbacks = {};  ///< names of other models, tried in order
  std::vector<std::string> teams = {};      ///< ids of the teams that may use it; empty: all teams
  std::int64_t max_output_tokens = 0;       ///< maximum length of one answer; 0: unknown
  std::int64_t version = 1;
  Timestamp created_at = {};
  Timestamp updated_at = {};

  bool isStored() const { return !stored.blob.empty(); }
  bool hasFile() const { return !file.empty() || isStored(); }
};

}  // namespace spindle::inference
