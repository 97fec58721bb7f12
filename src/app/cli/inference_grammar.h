#pragma once

#include <memory>

#include "app/cli/command_builder.h"
#include "app/cli/inference_command.h"

namespace spindle::app {

/// Adds the commands `spindle model add | ls | show | rm`, `spindle engine …`, `spindle upstream
/// …`, `spindle limit …` and `spindle usage`.
class InferenceGrammar {
 public:
  InferenceGrammar();
  ~InferenceGrammar();

  /// Adds the commands to the command line, which must not outlive this object.
  void addTo(const CommandBuilder<InferenceCommand>& builder);

 private:
  struct Actions;

  void addModels(const CommandBuilder<InferenceCommand>& builder);
  void addEngines(const CommandBuilder<InferenceCommand>& builder);
  void addUpstreams(const CommandBuilder<InferenceCommand>& builder);
  void addLimits(const CommandBuilder<InferenceCommand>& builder);
  void addUsage(const CommandBuilder<InferenceCommand>& builder);

  std::unique_ptr<Actions> actions_;
};

}  // namespace spindle::app
