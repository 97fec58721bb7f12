#pragma once

#include <string>
#include <vector>

#include "schema/type.h"

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

}  // namespace spindle::objects
