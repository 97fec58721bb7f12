#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::s3 {

/// An element of an XML response. Attributes and namespace prefixes are dropped.
struct XmlElement {
  std::string name;
  std::string text;  ///< of the element itself, entities decoded
  std::vector<XmlElement> children;

  /// Returns the first child of that name, or null.
  const XmlElement* find(std::string_view child) const;
  /// Returns the text of the first child of that name, or an empty text.
  std::string_view textOf(std::string_view child) const;
};

inline constexpr std::size_t kXmlDepth = 16;
inline constexpr std::size_t kXmlElements = 50'000;

/// Parses the root element of a response of an S3 server: elements, text, CDATA, comments and the
/// predefined entities. Bounded by kXmlDepth and kXmlElements.
/// @return kUpstream for anything else, also for a document type.
Result<XmlElement> parseXml(std::string_view text);

/// Returns a text with the characters escaped that XML reserves.
std::string xmlEscaped(std::string_view text);

}  // namespace spindle::s3
