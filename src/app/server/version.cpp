#include "app/server/version.h"

namespace spindle::app {

std::string_view version() { return SPINDLE_VERSION; }

}  // namespace spindle::app
