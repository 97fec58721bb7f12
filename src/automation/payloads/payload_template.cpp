#include "automation/payloads/payload_template.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "automation/payloads/payload_variable.h"
#include "base/core/ascii.h"

namespace spindle::automation {
namespace {

using Kind = TemplatePiece::Kind;

bool startsName(char c) { return isLetter(c) || c == '_'; }
bool continuesName(char c) { return startsName(c) || isDigit(c); }
bool belongsToKey(char c) {
  return c != '}' && c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
}

/// Returns the length of the name at the front of `text`.
std::size_t nameLength(std::string_view text) {
  if (text.empty() || !startsName(text.front())) return 0;
  std::size_t length = 1;
  while (length < text.size() && continuesName(text[length])) ++length;
  return length;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::vector<TemplatePiece> run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (in_string_ && c == '\\') {
        take(2);
      } else if (c == '$') {
        dollar();
      } else {
        if (c == '"') in_string_ = !in_string_;
        take(1);
      }
    }
    flush();
    return std::move(pieces_);
  }

 private:
  void take(std::size_t count) {
    text_ += rest_.substr(0, count);
    skip(count);
  }
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  void flush() {
    if (text_.empty()) return;
    pieces_.push_back({Kind::kText, std::move(text_), in_string_});
    text_.clear();
  }

  void token(Kind kind, std::string_view name, std::size_t length) {
    flush();
    pieces_.push_back({kind, std::string(name), in_string_});
    skip(length);
  }

  void dollar() {
    if (rest_.starts_with("$${")) {
      text_ += "${";
      skip(3);
    } else if (rest_.starts_with("${")) {
      if (!metadata() && !braced()) take(1);
    } else if (const std::size_t length = nameLength(rest_.substr(1)); length > 0) {
      token(Kind::kUnbraced, rest_.substr(1, length), length + 1);
    } else {
      take(1);
    }
  }

  bool braced() {
    const std::size_t length = nameLength(rest_.substr(2));
    if (length == 0 || rest_.size() <= length + 2 || rest_[length + 2] != '}') return false;
    token(Kind::kBraced, rest_.substr(2, length), length + 3);
    return true;
  }

  bool metadata() {
    const std::string lead = "${" + std::string(kMetadataVariable) + ".";
    if (!rest_.starts_with(lead)) return false;
    std::size_t end = lead.size();
    while (end < rest_.size() && belongsToKey(rest_[end])) ++end;
    if (end == lead.size() || end == rest_.size() || rest_[end] != '}') return false;
    token(Kind::kMetadata, rest_.substr(lead.size(), end - lead.size()), end + 1);
    return true;
  }

  std::string_view rest_;
  bool in_string_ = false;
  std::string text_;
  std::vector<TemplatePiece> pieces_;
};

}  // namespace

std::string TemplatePiece::verbatim() const {
  switch (kind) {
    case Kind::kText:
      return text;
    case Kind::kBraced:
      return "${" + text + "}";
    case Kind::kUnbraced:
      return "$" + text;
    case Kind::kMetadata:
      return "${" + std::string(kMetadataVariable) + "." + text + "}";
  }
  return text;
}

std::vector<TemplatePiece> scanTemplate(std::string_view text) { return Scanner(text).run(); }

}  // namespace spindle::automation
