#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "evaluation/recording/run_recorder.h"
#include "evaluation/scoring/model_port.h"

namespace spindle::evaluation {

/// A model that the server can evaluate, parsed from a model object (docs/evaluation_jobs.md).
struct ModelSpec {
  std::string model;
  std::string upstream;
  std::string messages;           ///< JSON list, a template
  std::string parameters = "{}";  ///< JSON object
  bool json_output = false;       ///< parse an answer that is JSON
};

/// Parses an object with `kind: chat_completion`, or of the class LLMStructuredCompletionModel.
/// `object` must be valid JSON.
/// @return kInvalidArgument if the server cannot evaluate this model, or a parameter is invalid.
Result<ModelSpec> modelSpecOf(std::string_view object);

/// Builds the request for an example, on behalf of the user and the API key of the run.
/// @return kInvalidArgument with the name of a field that the example lacks.
Result<ModelRequest> requestFor(const ModelSpec& spec,
                                std::string_view example,
                                const RunScope& scope);

/// Returns the output of the model's call, as JSON.
std::string outputOf(const ModelSpec& spec, const ModelAnswer& answer);

}  // namespace spindle::evaluation
