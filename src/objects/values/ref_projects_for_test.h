#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "objects/values/ref_conversion.h"

namespace spindle::objects {

/// Knows one project.
class OneProjectForTest : public RefProjects {
 public:
  OneProjectForTest(std::string external, std::string internal)
      : external_(std::move(external)), internal_(std::move(internal)) {}

  Result<std::optional<std::string>> internalOf(std::string_view external) override {
    return external == external_ ? std::optional(internal_) : std::nullopt;
  }
  Result<std::optional<std::string>> externalOf(std::string_view internal) override {
    return internal == internal_ ? std::optional(external_) : std::nullopt;
  }

 private:
  const std::string external_;
  const std::string internal_;
};

}  // namespace spindle::objects
