#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "automation/payloads/credentials.h"
#include "base/core/time.h"

namespace spindle::automation {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// The data of one attempt for its headers.
struct OutboundFacts {
  std::string delivery_id;
  Timestamp sent_at;
  int attempt = 1;
  std::string event_type = {};     ///< empty: none, as in a test delivery
  std::string automation_id = {};  ///< empty: none, as in a test delivery
};

/// Returns the headers of a delivery, with both signatures over the body if the webhook has a
/// signing secret. `version` is the program's version.
HeaderList outboundHeaders(const OutboundFacts& facts,
                           std::string_view body,
                           const Credentials& credentials,
                           std::string_view version);

/// Returns the headers with `***` instead of the access token, for output to users.
HeaderList redacted(HeaderList headers);

}  // namespace spindle::automation
