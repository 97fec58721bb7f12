#pragma once

#include <vector>

#include "inference/catalogue/migrations.h"
#include "registry/repositories/registry_for_test.h"

namespace spindle::inference {

/// A fixture with a registry and the tables of the area.
class AdapterContract : public registry::RegistryContract {
 protected:
  std::vector<storage::AreaSchema> schemas() const override {
    return schemasAnd(inferenceSchema());
  }
};

}  // namespace spindle::inference
