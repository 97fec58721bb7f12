#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"

namespace spindle::agents {

/// A search for messages. A message must match all members that are set.
struct MessageSearchQuery {
  std::string text = {};          ///< anywhere inside the message
  bool case_insensitive = false;  ///< finds letters of either case
  std::optional<std::string> trace_id = {};
  std::optional<std::vector<std::string>> roles = {};  ///< `tool` selects calls and results
  std::optional<std::string> conversation_id = {};
  std::optional<std::string> agent_name = {};
  std::optional<std::string> provider_name = {};
  std::optional<std::string> request_model = {};
  std::optional<Timestamp> started_after = {};
  std::optional<Timestamp> started_before = {};
  std::int64_t limit = 20;  ///< number of messages
  std::int64_t offset = 0;
};

struct FoundMessage {
  std::string conversation_id;
  std::string conversation_name;
  std::string agent_name;
  std::string span_id;
  std::string trace_id;
  std::string role;
  std::string content;
  std::string digest;  ///< MD5 of the content
  Timestamp started_at;
};

}  // namespace spindle::agents
