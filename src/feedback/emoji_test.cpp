#include "feedback/emoji.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace spindle::feedback {
namespace {

std::string tableText() {
  const std::ifstream file(SPINDLE_SOURCE_DIR "/data/emoji/names.txt");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const EmojiNames& names() {
  static const EmojiNames names(tableText());
  return names;
}

TEST(Emoji, AcceptsEverySequenceForm) {
  for (const char* emoji : {"👍",
                            "❤",
                            "❤️",
                            "☺️",
                            "👍🏽",
                            "👩🏽‍💻",
                            "👨‍👩‍👧‍👦",
                            "🏳️‍🌈",
                            "🏴‍☠️",
                            "🇩🇪",
                            "1️⃣",
                            "#⃣",
                            "*️⃣",
                            "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
                            "🧑🏻‍🤝‍🧑🏿",
                            "©",
                            "🏽",
                            "🫨",
                            "⛹🏿‍♀️",
                            "😶‍🌫️"}) {
    EXPECT_TRUE(isOneEmoji(emoji)) << emoji;
  }
}

TEST(Emoji, RejectsSeveralEmojiAndLetters) {
  for (const char* text : {"",         "a",
                           "1",        "#",
                           "👍👍",       "👍 ",
                           " 👍",       "👍a",
                           "🇩",        "🇩🇪🇫🇷",
                           "🇩a",       "👍‍",
                           "‍👍",  "️",
                           "👩‍a", "1⃣2⃣",
                           "1️",     "🏴󠁧󠁢",
                           "é",        "👍🏽🏽",
                           "thumbs up"}) {
    EXPECT_FALSE(isOneEmoji(text)) << text;
  }
}

TEST(Emoji, AcceptsEveryNamedEmoji) {
  std::istringstream lines(tableText());
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("# ")) continue;
    const std::string emoji = line.substr(0, line.find(' '));
    EXPECT_TRUE(isOneEmoji(emoji)) << line;
    EXPECT_EQ(names().aliasOf(emoji), ":" + line.substr(line.find(' ') + 1) + ":");
    ++count;
  }
  EXPECT_GT(count, 1800);
}

TEST(Emoji, RemovesTheSkinTone) {
  EXPECT_EQ(withoutSkinTone("👍🏽"), "👍");
  EXPECT_EQ(withoutSkinTone("👩🏽‍💻"), "👩‍💻");
  EXPECT_EQ(withoutSkinTone("🧑🏻‍🤝‍🧑🏿"), "🧑‍🤝‍🧑");
  EXPECT_EQ(withoutSkinTone("❤️"), "❤️");
  EXPECT_EQ(withoutSkinTone("🏽"), "🏽");
}

TEST(Emoji, HasAnAlias) {
  EXPECT_EQ(names().aliasOf("👍"), ":thumbs_up:");
  EXPECT_EQ(names().aliasOf("👍🏽"), ":thumbs_up_medium_skin_tone:");
  EXPECT_EQ(names().aliasOf("❤️"), ":red_heart:");
  EXPECT_EQ(names().aliasOf("❤"), ":red_heart:");
  EXPECT_EQ(names().aliasOf("🇺🇸"), ":United_States:");
  EXPECT_EQ(names().aliasOf("1️⃣"), ":keycap_1:");
  EXPECT_EQ(names().aliasOf("👩🏿‍💻"), ":woman_technologist_dark_skin_tone:");
}

TEST(Emoji, UsesCodePointsWithoutAName) {
  EXPECT_EQ(EmojiNames().aliasOf("👍"), ":u1f44d:");
  EXPECT_EQ(EmojiNames().aliasOf("❤️"), ":u2764_ufe0f:");
}

}  // namespace
}  // namespace spindle::feedback
