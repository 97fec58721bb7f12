#include "s3/client/xml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/core/ascii.h"

namespace spindle::s3 {
namespace {

Error invalidXml() { return {ErrorCode::kUpstream, "The response is not valid XML."}; }

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void appendUtf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

/// Returns the character of `&#65;` or `&#x41;`, without `&#` and `;`.
std::optional<std::uint32_t> numericEntity(std::string_view digits) {
  int base = 10;
  if (digits.starts_with('x')) {
    base = 16;
    digits.remove_prefix(1);
  }
  std::uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, code, base);
  const bool is_valid = fault == std::errc() && stop == end && !digits.empty() && code > 0 &&
                        code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_valid ? std::optional(code) : std::nullopt;
}

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

bool appendDecoded(std::string& out, std::string_view text) {
  while (true) {
    const std::size_t start = text.find('&');
    out += text.substr(0, start);
    if (start == std::string_view::npos) return true;
    const std::size_t end = text.find(';', start);
    if (end == std::string_view::npos) return false;
    const std::string_view entity = text.substr(start + 1, end - start - 1);
    text.remove_prefix(end + 1);
    if (entity.starts_with('#')) {
      const std::optional<std::uint32_t> code = numericEntity(entity.substr(1));
      if (!code) return false;
      appendUtf8(out, *code);
      continue;
    }
    const auto* const known =
        std::find_if(kEntities.begin(), kEntities.end(),
                     [entity](const auto& candidate) { return candidate.first == entity; });
    if (known == kEntities.end()) return false;
    out += known->second;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Result<XmlElement> document() {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    if (!skipMisc() || !rest_.starts_with('<')) return invalidXml();
    XmlElement root;
    if (!element(root, 1) || !skipMisc() || !rest_.empty()) return invalidXml();
    return root;
  }

 private:
  bool skipPast(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + end.size());
    return true;
  }

  /// Skips white space, comments and processing instructions outside the root element.
  bool skipMisc() {
    while (true) {
      while (!rest_.empty() && isSpace(rest_.front())) rest_.remove_prefix(1);
      if (rest_.starts_with("<?")) {
        if (!skipPast("?>")) return false;
      } else if (rest_.starts_with("<!--")) {
        if (!skipPast("-->")) return false;
      } else {
        return true;
      }
    }
  }

  /// Parses a start tag. @return false if it is invalid. `empty` is set for `<a/>`.
  bool startTag(XmlElement& out, bool& empty) {
    rest_.remove_prefix(1);
    // A `>` in an attribute does not end the tag.
    char quote = 0;
    std::size_t end = 0;
    for (; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        break;
      }
    }
    if (end == rest_.size()) return false;
    std::string_view tag = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::size_t name_end = tag.find_first_of(" \t\r\n");
    out.name = withoutPrefix(tag.substr(0, name_end));
    return !out.name.empty() && out.name.find_first_of("<!&\"'=") == std::string::npos;
  }

  static std::string withoutPrefix(std::string_view name) {
    return std::string(name.substr(name.find(':') + 1));
  }

  bool endTag(const XmlElement& of) {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) return false;
    const std::string name = withoutPrefix(trimmed(rest_.substr(2, end - 2)));
    rest_.remove_prefix(end + 1);
    return name == of.name;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kXmlDepth
  bool element(XmlElement& out, std::size_t depth) {
    if (depth > kXmlDepth || ++elements_ > kXmlElements) return false;
    bool empty = false;
    if (!startTag(out, empty)) return false;
    if (empty) return true;
    while (true) {
      const std::size_t tag = rest_.find('<');
      if (tag == std::string_view::npos || !appendDecoded(out.text, rest_.substr(0, tag))) {
        return false;
      }
      rest_.remove_prefix(tag);
      if (rest_.starts_with("</")) return endTag(out);
      if (rest_.starts_with("<![CDATA[")) {
        rest_.remove_prefix(9);
        const std::size_t end = rest_.find("]]>");
        if (end == std::string_view::npos) return false;
        out.text += rest_.substr(0, end);
        rest_.remove_prefix(end + 3);
      } else if (rest_.starts_with("<!--")) {
        if (!skipPast("-->")) return false;
      } else if (rest_.starts_with("<?")) {
        if (!skipPast("?>")) return false;
      } else if (!element(out.children.emplace_back(), depth + 1)) {
        return false;
      }
    }
  }

  std::string_view rest_;
  std::size_t elements_ = 0;
};

}  // namespace

const XmlElement* XmlElement::find(std::string_view child) const {
  const auto found =
      std::find_if(children.begin(), children.end(),
                   [child](const XmlElement& candidate) { return candidate.name == child; });
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::textOf(std::string_view child) const {
  const XmlElement* const found = find(child);
  return found == nullptr ? std::string_view() : found->text;
}

Result<XmlElement> parseXml(std::string_view text) { return Parser(text).document(); }

std::string xmlEscaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto* const entity =
        std::find_if(kEntities.begin(), kEntities.end(),
                     [c](const auto& candidate) { return candidate.second == c; });
    if (entity == kEntities.end()) {
      out += c;
    } else {
      out += "&" + std::string(entity->first) + ";";
    }
  }
  return out;
}

}  // namespace spindle::s3
