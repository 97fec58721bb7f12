#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace spindle::feedback {

/// Returns true if the text is exactly one emoji. Accepts sequences that render as one: with a skin
/// tone, joined, flags and keycaps. Checks the structure of the sequence, so that emoji newer than
/// any table are accepted too.
bool isOneEmoji(std::string_view text);

/// Returns the text without skin tones. Keeps a skin tone that stands alone.
std::string withoutSkinTone(std::string_view text);

/// Maps emoji to names. Immutable, thread-safe.
class EmojiNames {
 public:
  /// Contains no names.
  EmojiNames() = default;
  /// Parses lines that contain an emoji, a space and its name; lines that start with `# ` are
  /// comments.
  explicit EmojiNames(std::string_view table);

  /// Returns `:thumbs_up:` or `:thumbs_up_dark_skin_tone:`, or the code points of an emoji without
  /// a name.
  std::string aliasOf(std::string_view emoji) const;

 private:
  std::unordered_map<std::string, std::string> names_;  ///< by emoji without variation selectors
};

}  // namespace spindle::feedback
