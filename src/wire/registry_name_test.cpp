#include "wire/registry_name.h"

#include <gtest/gtest.h>

namespace spindle::wire {
namespace {

TEST(RegistryName, StandsBehindAPrefix) {
  EXPECT_EQ(registryProject("models"), "svc-registry-models");
  EXPECT_EQ(registryOfProject(registryProject("models")), "models");
  EXPECT_EQ(registryOfProject("wandb-registry-models"), "models");
  EXPECT_EQ(registryOfProject("svc-registry-"), std::nullopt);
  EXPECT_EQ(registryOfProject("models"), std::nullopt);
}

}  // namespace
}  // namespace spindle::wire
