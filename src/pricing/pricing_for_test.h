#pragma once

#include <vector>

#include "identity/store/identity_for_test.h"
#include "pricing/migrations.h"
#include "pricing/price_repository.h"

namespace spindle::pricing {

/// Fixture with the price repository and two projects of one team.
class PricingTest : public identity::TwoProjectsTest {
 protected:
  std::vector<storage::AreaSchema> schemas() const override { return schemasAnd(pricingSchema()); }

  PriceRepository prices_{*database_, clock_};
};

}  // namespace spindle::pricing
