#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inference/catalogue/operation.h"
#include "inference/gateway/reservation.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::inference {

/// The members of a request that the gateway reads. All other members are forwarded unchanged to
/// the engine or upstream.
struct CompletionBody {
  struct Message {
    std::string role;
    std::optional<json::Text> content;
  };
  struct StreamOptions {
    std::optional<bool> include_usage;
  };

  std::string model;
  std::vector<Message> messages;
  json::Text prompt;
  json::Text input;
  std::optional<bool> stream;
  std::optional<StreamOptions> stream_options;
  std::optional<std::int64_t> max_tokens;
  std::optional<std::int64_t> max_completion_tokens;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> best_of;
  std::optional<double> temperature;
  std::optional<double> top_p;

  bool streams() const { return stream.value_or(false); }
  bool wantsUsage() const {
    return stream_options && stream_options->include_usage.value_or(false);
  }
};

schema::Codec<CompletionBody> completionCodec(Operation operation);

/// Returns the properties of a request that determine its maximum cost; `text` is its body.
RequestSize sizeOf(Operation operation, const CompletionBody& body, std::string_view text);

}  // namespace spindle::inference
