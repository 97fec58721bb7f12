#pragma once

#include <string>

#include "identity/store/identity_for_test.h"
#include "pricing/migrations.h"
#include "pricing/price_repository.h"

namespace spindle::pricing {

/// Fixture with the price repository and two projects of one team.
class PricingTest : public identity::IdentityTest {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema(), pricingSchema()}, clock_.now());
    const identity::User ada = person("ada");
    const identity::Team research = team("research", ada);
    first_ = project(research, "first", ada).id;
    second_ = project(research, "second", ada).id;
  }

  PriceRepository prices_{*database_, clock_};
  std::string first_;
  std::string second_;
};

}  // namespace spindle::pricing
