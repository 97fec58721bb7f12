#pragma once

#include <memory>

#include "app/inference_command.h"
#include "app/words.h"

namespace spindle::app {

/// Adds the commands `spindle model add | ls | show | rm`, `spindle engine …`, `spindle upstream
/// …`, `spindle limit …` and `spindle usage`.
class InferenceGrammar {
 public:
  InferenceGrammar();
  ~InferenceGrammar();

  /// Adds the commands to the command line, which must not outlive this object.
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
