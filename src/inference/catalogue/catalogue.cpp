#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

std::string_view textOf(Ability ability) { return lookUp(kAbilities, ability, ""); }

}  // namespace spindle::inference
