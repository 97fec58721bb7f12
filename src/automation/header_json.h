#pragma once

#include <map>
#include <string>
#include <string_view>

#include "automation/outbound_headers.h"

namespace spindle::automation {

/// By name; what came more than once stands in one line, as HTTP means it.
std::map<std::string, std::string> byName(const HeaderList& headers);
/// The same as a JSON object that can be stored.
std::string headersText(const HeaderList& headers);

/// Whatever an endpoint sent, as text that can be stored: what is no UTF-8, and NUL, is replaced.
std::string storableText(std::string text);

}  // namespace spindle::automation
