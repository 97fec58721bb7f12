#include "s3/client/bucket_check.h"

namespace spindle::s3 {

Result<void> checkBucket(S3Client& client, const std::string& prefix) {
  const std::string key = prefix + "check/" + randomAlphanumeric(20);
  const std::string content = "written by spindle doctor";
  TRY(client.put(key, bodyOf(content, sha256(content)), S3Client::Overwrite::kAllowed));
  const Result<ObjectPart> part = client.get(key, 0, content.size());
  TRY(client.remove(key));
  if (!part) return part.error();
  if (part->bytes == content) return {};
  return Error::unavailable("the S3 server returned other bytes than were written")
      .because(kWrongChecksum);
}

}  // namespace spindle::s3
