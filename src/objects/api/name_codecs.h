#pragma once

#include <string>
#include <vector>

#include "schema/type.h"

namespace spindle::objects {

// Codecs of names in requests. They only describe the rules; label.h and ref.h enforce them, with
// their own status and message.

/// Id of an object to publish. See checkObjectId().
schema::Codec<std::string> objectIdCodec();

/// See checkTags().
schema::Codec<std::vector<std::string>> tagsCodec();

/// See checkAliases().
schema::Codec<std::vector<std::string>> aliasesCodec();

/// A list of at most `most` texts.
schema::Codec<std::vector<std::string>> textsCodec(std::size_t most);

}  // namespace spindle::objects
