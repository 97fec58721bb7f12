#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "config/value.h"

namespace spindle::app {

Result<Expiry> parseExpiry(std::string_view text) {
  const std::optional<std::chrono::milliseconds> after = config::parseDuration(text);
  if (after && after->count() > 0) return Expiry(*after);
  // parseTimestamp also accepts plain numbers, which would be a time in 1970 here.
  if (text.find('-') != std::string_view::npos) {
    const ParsedTimestamp moment = parseTimestamp(text);
    if (moment) return Expiry(*moment.value);
  }
  return Error::invalidArgument(fmt::format(
      "--expires: expected a duration such as 90d or a date such as 2027-12-31, but found \"{}\"",
      text));
}

}  // namespace spindle::app
