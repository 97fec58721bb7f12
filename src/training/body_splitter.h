#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace spindle::training {

/// Takes the text of a JSON object apart while it comes: the items of one long array are handed
/// over one at a time, everything else is small and stays in a skeleton with that array empty. Only
/// the outermost structure is understood here; what is handed over, and the skeleton, are for a
/// real parser to check. Belongs to one thread.
class BodySplitter {
 public:
  /// Told the text of an item, and at which character of the whole text it begins.
  using OnItem = std::function<void(std::string item, std::size_t position)>;

  /// Where and why the text is no JSON.
  struct Broken {
    std::size_t position = 0;  ///< counts characters
    std::string message;
  };

  BodySplitter(std::string_view array_member, OnItem on_item)
      : array_member_(array_member), on_item_(std::move(on_item)) {}

  /// False once the text is broken: nothing more is looked at.
  bool feed(std::string_view piece);
  /// The text is whole. False when it is broken, or ends too early.
  bool finish();

  const std::optional<Broken>& broken() const { return broken_; }
  /// The whole text but for the items. One that is no object is all of it.
  const std::string& skeleton() const { return skeleton_; }
  /// Bytes of what is kept: the skeleton and the item under way.
  std::size_t kept() const { return skeleton_.size() + item_.size(); }

 private:
  enum class Where {
    kStart,
    kOpaque,     ///< not an object: all of it is for the parser
    kBeforeKey,  ///< behind `{` or `,`
    kInKey,
    kBeforeColon,
    kBeforeValue,
    kInValue,  ///< of a member that is not the array
    kInArray,  ///< between the items
    kInItem,
    kAfterValue,
    kAfterEnd,
  };

  void take(char c);
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
  std::size_t depth_ = 0;  ///< of brackets inside the value or item
  bool in_string_ = false;
  bool escaped_ = false;
  bool scalar_ = false;      ///< the value under way has no brackets or quotes
  bool wants_item_ = false;  ///< behind a comma
  bool after_item_ = false;
  bool split_ = false;  ///< the array was there
  std::optional<Broken> broken_;
};

}  // namespace spindle::training
