#include "app/server/emoji_table.h"

#include <span>
#include <string>

#include "http/router/static_assets.h"

namespace spindle::http {

std::span<const Asset> emojiAssets();

}  // namespace spindle::http

namespace spindle::app {

feedback::EmojiNames builtInEmojiNames() {
  std::string table;
  for (const http::Asset& asset : http::emojiAssets()) table.append(asset.bytes);
  return feedback::EmojiNames(table);
}

}  // namespace spindle::app
