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

/// Where and why a text is not JSON. `position` counts characters, not bytes.
struct SyntaxError {
  std::size_t position = 0;
  std::string message;
};

class Document;

/// One value inside a Document: a cheap view, valid as long as the document.
class Node {
 public:
  Kind kind() const;
  bool isNull() const { return kind() == Kind::kNull; }
  bool isBool() const { return kind() == Kind::kFalse || kind() == Kind::kTrue; }
  bool isNumber() const { return kind() == Kind::kInteger || kind() == Kind::kDecimal; }
  bool isString() const { return kind() == Kind::kString; }
  bool isArray() const { return kind() == Kind::kArray; }
  bool isObject() const { return kind() == Kind::kObject; }

  /// The value's own text, byte for byte as it came: large integers and number spelling survive.
  std::string_view raw() const;

  /// Of kTrue and kFalse.
  bool boolean() const { return kind() == Kind::kTrue; }
  /// Of kInteger; empty when it does not fit.
  std::optional<std::int64_t> integer() const;
  /// Of numbers; infinite when out of range.
  double number() const;
  /// Of kString, with escapes undone.
  std::string text() const;
  /// Of kString: the text without a copy when it holds no escapes.
  std::optional<std::string_view> plainText() const;
  bool textEquals(std::string_view other) const;

  /// Items of an array, or members of an object.
  std::size_t size() const;

  /// Items of kArray, or member names and values by turns of kObject.
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

  /// The last member of that name of kObject.
  std::optional<Node> find(std::string_view name) const;

 private:
  friend class Document;
  Node(const Document* document, std::uint32_t index) : document_(document), index_(index) {}

  const Document* document_;
  std::uint32_t index_;
};

/// A parsed JSON text: the text itself plus an index of where each value begins and ends. The text
/// is checked whole (UTF-8, grammar, escapes, depth) but no value is converted until asked for, so
/// that payload kept as text costs nothing more.
///
/// An unpaired surrogate escape, which some clients produce when they cut a string in the middle
/// of a character, becomes U+FFFD: what is stored is always valid Unicode.
class Document {
 public:
  static constexpr std::size_t kDefaultDepth = 200;

  /// Takes the text over. Values nested deeper than `max_depth` are refused.
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
    std::uint32_t end;    ///< offset behind the last byte
    std::uint32_t after;  ///< index of the first entry behind this value and all inside it
    std::uint32_t count;  ///< items or members; for a string: 1 when it holds escapes
    Kind kind;
  };

  Document() = default;

  std::string text_;
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace spindle::json
