#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

std::string_view textOf(Ability ability) { return lookUp(kAbilities, ability, ""); }

std::string_view textOf(AdapterLoading loading) { return lookUp(kAdapterLoadings, loading, ""); }
AdapterLoading adapterLoadingOf(std::string_view text) {
  return storedValue<kAdapterLoadings, AdapterLoading::kNone>(text);
}

}  // namespace spindle::inference
