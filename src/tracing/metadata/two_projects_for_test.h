#pragma once

#include <vector>

#include "identity/store/identity_for_test.h"
#include "tracing/metadata/tracing_migrations.h"

namespace spindle::tracing {

/// A fixture with two projects on an empty database of the engine under test.
class TwoProjectsTest : public identity::TwoProjectsTest {
 protected:
  std::vector<storage::AreaSchema> schemas() const override {
    return {identity::identitySchema(), tracingSchema()};
  }
};

}  // namespace spindle::tracing
