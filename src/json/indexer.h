#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "json/document.h"

namespace spindle::json {

/// Builds the index of a Document. simdjson's first stage checks UTF-8 and finds where tokens
/// start, at several bytes per cycle; what is left here is to check the grammar over those few
/// positions and to note where each value ends.
class Indexer {
 public:
  Indexer(Document& document, std::size_t max_depth);
  /// False when the text is not JSON; explainSyntaxError() then says why.
  bool run();

 private:
  struct Open {
    std::uint32_t entry;
    bool object;
  };

  bool findTokens();
  bool walk();
  /// Checks and indexes the value that starts at the current token, opening arrays and objects.
  bool value();
  /// Closes the innermost array or object at the current token.
  void close();
  bool memberName();
  bool string();
  bool number();
  bool word(std::string_view expected, Kind kind);

  std::uint32_t position() const { return tokens_[token_]; }
  /// The byte that starts the current token; NUL behind the last.
  char current() const { return token_ < count_ ? text_[position()] : '\0'; }
  /// Where the current scalar ends: the next token, less the white space before it.
  std::uint32_t scalarEnd() const;
  Document::Entry& add(Kind kind, std::uint32_t begin, std::uint32_t end);

  std::string& text_;
  std::vector<Document::Entry>& entries_;
  std::size_t max_depth_;
  const std::uint32_t* tokens_ = nullptr;
  std::size_t count_ = 0;
  std::size_t token_ = 0;
  std::vector<Open> open_;
};

}  // namespace spindle::json
