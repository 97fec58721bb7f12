#pragma once

#include "feedback/emoji.h"

namespace spindle::app {

/// Returns the names of data/emoji, which are compiled into the program.
feedback::EmojiNames builtInEmojiNames();

}  // namespace spindle::app
