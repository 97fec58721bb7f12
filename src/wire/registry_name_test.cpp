#include "wire/registry_name.h"

#include <gtest/gtest.h>

namespace spindle::wire {
namespace {

TEST(RegistryName, HasAPrefixInPaths) {
  EXPECT_EQ(registryProject("models"), "svc-registry-models");
  EXPECT_EQ(registryNameOfProject(registryProject("models")), "models");
  EXPECT_EQ(registryNameOfProject("wandb-registry-models"), "models");
  EXPECT_EQ(registryNameOfProject("svc-registry-"), std::nullopt);
  EXPECT_EQ(registryNameOfProject("models"), std::nullopt);
}

}  // namespace
}  // namespace spindle::wire
