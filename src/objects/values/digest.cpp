#include "objects/values/digest.h"

#include "objects/values/canonical_json.h"

namespace spindle::objects {

std::string digestText(const Sha256& hash) {
  std::string text = encodeBase64Url({reinterpret_cast<const char*>(hash.data()), hash.size()});
  for (char& c : text) {
    if (c == '-') c = 'X';
    if (c == '_') c = 'Y';
  }
  return text;
}

std::string contentDigest(std::string_view bytes) { return digestText(sha256(bytes)); }

ValueDigest valueDigest(std::string_view json) {
  const std::string canonical = canonicalJson(json);
  return {contentDigest(canonical), canonical.size()};
}

std::string tableDigest(const std::vector<std::string>& row_digests) {
  Sha256Stream hash;
  for (const std::string& digest : row_digests) hash.add(digest);
  return toHex(hash.finish());
}

}  // namespace spindle::objects
