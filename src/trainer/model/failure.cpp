#include "trainer/model/failure.h"

#include <new>
#include <string>
#include <string_view>

namespace spindle::trainer {
namespace {

bool isOutOfMemory(const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) return true;
  const std::string_view words = problem.what();
  for (const char* sign : {"out of memory", "not enough memory", "can't allocate memory"}) {
    if (words.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool isTrainersFault(const Error& error) { return error.reason() == kTrainerAtFault; }

Error failureOf(const std::exception& problem) {
  if (isOutOfMemory(problem)) {
    return Error::unavailable("The trainer ran out of memory: shorter rows need less.")
        .because(kOutOfMemory);
  }
  const std::string words = problem.what();
  return Error::unavailable("The computation failed: " + words.substr(0, words.find('\n')))
      .because(kComputationFailed);
}

}  // namespace spindle::trainer
