#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::training {

/// Splits the text of a JSON object while it arrives. Passes the items of one long array to a
/// callback, one at a time. The rest is small and stays in a skeleton, in which that array is
/// empty. Understands only the outermost structure: a JSON parser must check the items and the
/// skeleton. Belongs to one thread.
class BodySplitter {
 public:
  /// Receives the text of an item and the character position at which it starts in the whole text.
  using OnItem = std::function<void(std::string item, std::size_t position)>;

  /// Position and reason of a syntax error.
  struct Broken {
    std::size_t position = 0;  ///< in characters
    std::string message;
  };

  BodySplitter(std::string_view array_member, OnItem on_item)
      : array_member_(array_member), on_item_(std::move(on_item)) {}

  /// Parses the next chunk. Returns false after a syntax error; further text is ignored.
  bool feed(std::string_view piece);
  /// Ends the text. Returns false if it has a syntax error or is incomplete.
  bool finish();

  const std::optional<Broken>& broken() const { return broken_; }
  /// Returns the text without the items. If the text is not an object, returns all of it.
  const std::string& skeleton() const { return skeleton_; }
  /// Returns the number of bytes in memory: the skeleton and the current item.
  std::size_t kept() const { return skeleton_.size() + item_.size(); }

 private:
  enum class Where {
    kStart,
    kOpaque,     ///< not an object: the parser gets all of it
    kBeforeKey,  ///< after `{` or `,`
    kInKey,
    kBeforeColon,
    kBeforeValue,
    kInValue,  ///< value of another member than the array
    kInArray,  ///< between items
    kInItem,
    kAfterValue,
    kAfterEnd,
  };

  void take(char c);
  void takeBeforeKey(char c);
  void takeInKey(char c);
  void takeBeforeValue(char c);
  void takeAfterValue(char c);
  void takeInside(char c);
  void takeInArray(char c);
  bool insideEnds(char c);
  void fail(std::string message);

  const std::string array_member_;
  const OnItem on_item_;
  Where where_ = Where::kStart;
  std::string skeleton_;
  std::string key_;
  std::string item_;
  std::size_t item_begins_ = 0;
  std::size_t characters_ = 0;
  std::size_t depth_ = 0;  ///< bracket depth inside the value or item
  bool in_string_ = false;
  bool escaped_ = false;
  bool scalar_ = false;      ///< the current value has no brackets or quotes
  bool wants_item_ = false;  ///< after a comma
  bool after_item_ = false;
  bool split_ = false;  ///< the array was found
  std::optional<Broken> broken_;
};

}  // namespace spindle::training
