#include "base/crypto/sealer.h"

#include <utility>

namespace spindle {

std::string Sealer::seal(const Secret& value, std::string_view context) const {
  return encodeBase64(spindle::seal(key_, value.reveal(), context));
}

std::optional<Secret> Sealer::open(std::string_view sealed, std::string_view context) const {
  const std::optional<std::string> bytes = decodeBase64(sealed);
  if (!bytes) return std::nullopt;
  std::optional<std::string> value = spindle::open(key_, *bytes, context);
  if (!value) return std::nullopt;
  return Secret(*std::move(value));
}

}  // namespace spindle
