#pragma once

#include <map>
#include <string>
#include <string_view>

#include "automation/payloads/outbound_headers.h"

namespace spindle::automation {

/// Returns the headers by name. Joins repeated headers with commas (RFC 9110 section 5.3).
std::map<std::string, std::string> byName(const HeaderList& headers);
/// Returns the headers by name as a JSON object that can be stored.
std::string headersText(const HeaderList& headers);

/// Converts the bytes of a response to storable text: replaces invalid UTF-8 and NUL.
std::string storableText(std::string text);

}  // namespace spindle::automation
