#include "json/document.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "json/escape.h"
#include "json/indexer.h"
#include "json/syntax_error.h"

namespace spindle::json {

std::variant<Document, SyntaxError> Document::parse(std::string text, std::size_t max_depth) {
  Document document;
  document.text_ = std::move(text);
  if (!Indexer(document, max_depth).run()) return explainSyntaxError(document.text_, max_depth);
  return document;
}

Kind Node::kind() const { return document_->entries_[index_].kind; }

std::string_view Node::raw() const {
  const Document::Entry& entry = document_->entries_[index_];
  return std::string_view(document_->text_).substr(entry.begin, entry.end - entry.begin);
}

std::optional<std::int64_t> Node::integer() const {
  const std::string_view digits = raw();
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

double Node::number() const {
  const std::string_view digits = raw();
  double value = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed == std::errc::result_out_of_range) {
    // from_chars does not distinguish underflow from overflow: 1e-400 is zero, 1e400 is infinity.
    const std::size_t exponent = digits.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && digits[exponent + 1] == '-';
    if (tiny) return 0.0;
    return std::numeric_limits<double>::infinity() * (digits[0] == '-' ? -1 : 1);
  }
  return value;
}

std::string Node::text() const {
  const std::string_view quoted = raw();
  const std::string_view inner = quoted.substr(1, quoted.size() - 2);
  if (document_->entries_[index_].count == 0) return std::string(inner);
  return unescape(inner);
}

std::optional<std::string_view> Node::plainText() const {
  if (document_->entries_[index_].count != 0) return std::nullopt;
  const std::string_view quoted = raw();
  return quoted.substr(1, quoted.size() - 2);
}

bool Node::textEquals(std::string_view other) const {
  if (const std::optional<std::string_view> plain = plainText()) return *plain == other;
  return text() == other;
}

std::size_t Node::size() const { return document_->entries_[index_].count; }

Node::Iterator Node::begin() const { return {document_, index_ + 1}; }
Node::Iterator Node::end() const { return {document_, document_->entries_[index_].after}; }

Node::Iterator& Node::Iterator::operator++() {
  index_ = document_->entries_[index_].after;
  return *this;
}

std::optional<Node> Node::find(std::string_view name) const {
  std::optional<Node> found;
  for (Iterator at = begin(); at != end(); ++at) {
    const bool same = (*at).textEquals(name);
    ++at;
    if (same) found = *at;
  }
  return found;
}

}  // namespace spindle::json
