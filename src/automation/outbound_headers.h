#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "automation/credentials.h"
#include "base/time.h"

namespace spindle::automation {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// One attempt of one delivery.
struct OutboundFacts {
  std::string delivery_id;
  Timestamp sent_at;
  int attempt = 1;
  std::string event_type = {};     ///< empty: none, as in a test
  std::string automation_id = {};  ///< empty: none, as in a test
};

/// The headers of a delivery, with both signatures over the body where a secret is attached.
/// `version` is that of the program.
HeaderList outboundHeaders(const OutboundFacts& facts,
                           std::string_view body,
                           const Credentials& credentials,
                           std::string_view version);

/// The same headers with `***` in the place of the access token, for copies that people see.
HeaderList redacted(HeaderList headers);

}  // namespace spindle::automation
