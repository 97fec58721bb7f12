#pragma once

#include <string>

#include "identity/store/identity_for_test.h"
#include "tracing/metadata/tracing_migrations.h"

namespace spindle::tracing {

/// A fixture with two projects on an empty database of the engine under test.
class TwoProjectsTest : public identity::IdentityTest {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), tracingSchema()}, clock_.now());
    const identity::User ada = person("ada");
    const identity::Team research = team("research", ada);
    first_ = project(research, "first", ada).id;
    second_ = project(research, "second", ada).id;
  }

  std::string first_;
  std::string second_;
};

}  // namespace spindle::tracing
