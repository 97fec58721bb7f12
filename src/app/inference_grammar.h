#pragma once

#include <memory>

#include "app/inference_command.h"
#include "app/words.h"

namespace spindle::app {

/// The words of `spindle model add | ls | show | rm`, `spindle engine …`, `spindle upstream …`,
/// `spindle limit …` and `spindle usage`.
class InferenceGrammar {
 public:
  InferenceGrammar();
  ~InferenceGrammar();

  /// This must outlive what it is added to.
  void addTo(const Words<InferenceCommand>& words);

 private:
  struct Actions;

  void addModels(const Words<InferenceCommand>& words);
  void addEngines(const Words<InferenceCommand>& words);
  void addUpstreams(const Words<InferenceCommand>& words);
  void addLimits(const Words<InferenceCommand>& words);
  void addUsage(const Words<InferenceCommand>& words);

  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
