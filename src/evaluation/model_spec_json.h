#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "evaluation/model_port.h"
#include "evaluation/run_recorder.h"

namespace spindle::evaluation {

/// A model that the server can ask: what a model object says of it (docs/evaluation_jobs.md).
struct ModelSpec {
  std::string model;
  std::string upstream;
  std::string messages;           ///< JSON list, a template
  std::string parameters = "{}";  ///< JSON object
  bool json_output = false;       ///< an answer that is JSON counts by its content
};

/// Objects with `kind: chat_completion`, and those of the class LLMStructuredCompletionModel.
/// `object` must be valid JSON.
/// @return kInvalidArgument when the server cannot ask it, or a parameter is wrong.
Result<ModelSpec> modelSpecOf(std::string_view object);

/// What the model is asked about an example, on behalf of the user and the key of the run.
/// @return kInvalidArgument naming a field that the example lacks.
Result<ModelRequest> requestFor(const ModelSpec& spec,
                                std::string_view example,
                                const RunScope& scope);

/// The output of the model's call, as JSON.
std::string outputOf(const ModelSpec& spec, const ModelAnswer& answer);

}  // namespace spindle::evaluation
