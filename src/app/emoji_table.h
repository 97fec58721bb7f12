#pragma once

#include "feedback/emoji.h"

namespace spindle::app {

/// The names of data/emoji, compiled into the program.
feedback::EmojiNames builtInEmojiNames();

}  // namespace spindle::app
