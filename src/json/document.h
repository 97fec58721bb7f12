#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace spindle::json {

enum class Kind : std::uint8_t {
  kNull,
  kFalse,
  kTrue,
  kInteger,
  kDecimal,
  kString,
  kArray,
  kObject
};

/// The position and reason of a JSON syntax error. `position` counts characters, not bytes.
struct SyntaxError {
  std::size_t position = 0;
  std::string message;
};

class Document;

/// A view of one value inside a Document. Cheap to copy; valid as long as the document.
class Node {
 public:
  Kind kind() const;
  bool isNull() const { return kind() == Kind::kNull; }
  bool isBool() const { return kind() == Kind::kFalse || kind() == Kind::kTrue; }
  bool isNumber() const { return kind() == Kind::kInteger || kind() == Kind::kDecimal; }
  bool isString() const { return kind() == Kind::kString; }
  bool isArray() const { return kind() == Kind::kArray; }
  bool isObject() const { return kind() == Kind::kObject; }

  /// Returns the source text of the value, byte for byte. Large integers and the notation of
  /// numbers are preserved.
  std::string_view raw() const;

  /// Returns the value of a kTrue or kFalse node.
  bool boolean() const { return kind() == Kind::kTrue; }
  /// Returns the value of a kInteger node, or nothing if it does not fit into 64 bits.
  std::optional<std::int64_t> integer() const;
  /// Returns the value of a number node; infinity if it is out of range.
  double number() const;
  /// Returns the value of a kString node, unescaped.
  std::string text() const;
  /// Returns the value of a kString node without a copy, or nothing if it contains escapes.
  std::optional<std::string_view> plainText() const;
  bool textEquals(std::string_view other) const;

  /// Returns the number of items of an array or of members of an object.
  std::size_t size() const;

  /// Iterates over the items of a kArray node, or over the members of a kObject node: name and
  /// value alternate.
  class Iterator {
   public:
    Iterator(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
    Node operator*() const { return {document_, index_}; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    std::uint32_t index_;
  };
  Iterator begin() const;
  Iterator end() const;

  /// Returns the value of the last member named `name` of a kObject node.
  std::optional<Node> find(std::string_view name) const;

 private:
  friend class Document;
  Node(const Document* document, std::uint32_t index) : document_(document), index_(index) {}

  const Document* document_;
  std::uint32_t index_;
};

/// A parsed JSON text: the text and an index of the begin and end of each value. Parsing validates
/// the whole text (UTF-8, grammar, escapes, depth) but converts no value. Conversion happens on
/// access, so a payload that is stored as text costs nothing more.
///
/// Parsing replaces an unpaired surrogate escape with U+FFFD, so stored text is always valid
/// Unicode. Some clients produce such escapes when they truncate a string in the middle of a
/// character.
class Document {
 public:
  static constexpr std::size_t kDefaultDepth = 200;

  /// Parses `text` and owns it. Returns a SyntaxError for values nested deeper than `max_depth`.
  static std::variant<Document, SyntaxError> parse(std::string text,
                                                   std::size_t max_depth = kDefaultDepth);

  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document() = default;

  Node root() const { return {this, 0}; }

 private:
  friend class Node;
  friend class Indexer;

  struct Entry {
    std::uint32_t begin;  ///< offset of the first byte
    std::uint32_t end;    ///< offset after the last byte
    std::uint32_t after;  ///< index of the first entry after this value and its descendants
    std::uint32_t count;  ///< items or members; for a string: 1 if it contains escapes
    Kind kind;
  };

  Document() = default;

  std::string text_;
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace spindle::json
