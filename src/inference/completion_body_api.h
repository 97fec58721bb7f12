#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inference/operation.h"
#include "inference/reservation.h"
#include "json/writer.h"
#include "schema/type.h"

namespace spindle::inference {

/// What the gateway reads of a request. All the rest is the business of whoever answers it, and
/// goes on as it came.
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

/// What the cost of the request depends on; `text` is its body.
RequestSize sizeOf(Operation operation, const CompletionBody& body, std::string_view text);

}  // namespace spindle::inference
