#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace spindle::feedback {

/// Whether the text is exactly one emoji: also a sequence that is shown as one, with a skin tone,
/// joined from several, a flag or a keycap. Goes by how sequences are built, so that emoji newer
/// than any table count too.
bool isOneEmoji(std::string_view text);

/// The text without skin tones. A skin tone that stands alone stays.
std::string withoutSkinTone(std::string_view text);

/// Names of emoji. Immutable, thread-safe.
class EmojiNames {
 public:
  /// Knows no names.
  EmojiNames() = default;
  /// Reads lines of an emoji, a space and its name; lines that start with `# ` are comments.
  explicit EmojiNames(std::string_view table);

  /// `:thumbs_up:`, `:thumbs_up_dark_skin_tone:`; of an emoji without a name its code points.
  std::string aliasOf(std::string_view emoji) const;

 private:
  std::unordered_map<std::string, std::string> names_;  ///< by the emoji without selectors
};

}  // namespace spindle::feedback
