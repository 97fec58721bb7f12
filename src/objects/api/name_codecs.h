#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::objects {

/// Names, digests or other texts of a request or response.
using Texts = std::vector<std::string>;

// Codecs of names in requests. They only describe the rules; label.h and ref.h enforce them, with
// their own status and message.

/// Id of an object to publish. See checkObjectId().
schema::Codec<std::string> objectIdCodec();

/// See checkTags().
schema::Codec<Texts> tagsCodec();

/// See checkAliases().
schema::Codec<Texts> aliasesCodec();

/// A list of at most `most` texts.
schema::Codec<Texts> textsCodec(std::size_t most);

/// `limit` or `offset` of a list. See checkPaging().
schema::Codec<std::optional<std::int64_t>> pagingCodec();

/// Begins the record of a request whose first member is the project.
template <class Body>
schema::Record<Body> projectRecord(std::string name) {
  schema::Record<Body> record(std::move(name));
  record.required("project_id", &Body::project_id, identity::projectIdCodec(), "`entity/project`.");
  return record;
}

/// A request for the content with a digest.
struct DigestBody {
  std::string project_id;
  std::string digest;
};
schema::Codec<DigestBody> digestBodyCodec(std::string name, std::string_view digest_doc);

/// Adds the optional member `expected_digest` of a request that stores content. See checkDigest().
template <class Body>
schema::Record<Body>& addExpectedDigest(schema::Record<Body>& record) {
  return record.optional("expected_digest", &Body::expected_digest,
                         schema::nullable(schema::string()),
                         "Store only if the content has this digest; 409 otherwise.");
}

}  // namespace spindle::objects
