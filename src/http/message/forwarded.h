#pragma once

#include "http/message/message.h"

namespace spindle::http {

/// Returns true if the headers show that a proxy relayed the request: any `X-Forwarded-*`,
/// `Forwarded`, `Via` or `X-Real-IP` field. A proxy that adds none of them is not recognized.
bool wasForwarded(const Headers& headers);

}  // namespace spindle::http
