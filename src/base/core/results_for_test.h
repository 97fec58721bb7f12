#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace spindle {

/// Expects that a function returns the given result for each input. A failure names the input.
template <class Input, class Output, class Function>
void expectResults(const Function& function,
                   std::initializer_list<std::pair<Input, Output>> cases) {
  for (const auto& [input, output] : cases) {
    EXPECT_EQ(function(input), output) << "input: " << input;
  }
}

/// Expects that a function returns the given text for each text.
template <class Function>
void expectTexts(const Function& function,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> cases) {
  expectResults<std::string_view, std::string_view>(function, cases);
}

}  // namespace spindle
