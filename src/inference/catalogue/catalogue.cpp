#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

std::string_view textOf(Ability ability) { return textIn(kAbilities, ability); }

}  // namespace spindle::inference
