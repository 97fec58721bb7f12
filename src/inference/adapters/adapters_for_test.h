#pragma once

#include "inference/catalogue/migrations.h"
#include "registry/repositories/registry_for_test.h"

namespace spindle::inference {

/// A fixture with a registry and the tables of the area.
class AdapterContract : public registry::RegistryContract {
 protected:
  void SetUp() override {
    RegistryContract::SetUp();
    database_->migrate({identity::identitySchema(), events::eventsSchema(),
                        registry::registrySchema(), inferenceSchema()},
                       clock_.now());
  }
};

}  // namespace spindle::inference
