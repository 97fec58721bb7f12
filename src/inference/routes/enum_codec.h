#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "inference/catalogue/enum_texts.h"
#include "schema/scalar.h"

namespace spindle::inference {

/// Returns the schema of an enumeration with these texts.
template <class Enum, std::size_t N>
schema::Codec<Enum> enumCodec(const EnumTexts<Enum, N>& texts) {
  std::vector<std::pair<std::string, Enum>> names;
  for (const auto& [value, text] : texts) names.emplace_back(text, value);
  return schema::enumeration<Enum>(names);
}

}  // namespace spindle::inference
