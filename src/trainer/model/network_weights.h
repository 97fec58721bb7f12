#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/model/network.h"

// The tensors of a network and their construction from Hugging Face tensors. Internal to this area.

namespace spindle::trainer {

/// A tensor of the network: one or several Hugging Face tensors, concatenated along the rows.
struct FusedTensor {
  std::vector<std::string> names;
  std::vector<std::uint64_t> rows;  ///< row count of each
  std::uint64_t columns = 0;        ///< 0: a vector
  bool is_norm = false;
  bool is_residual = false;  ///< its output is added to the residual stream
  bool is_optional = false;
};

/// Returns all pieces, in the order of Network::Weights.
std::vector<FusedTensor> fusedTensorsOf(const ModelShape& shape);

/// Assigns the tensors of fusedTensorsOf() to the members of Network::Weights.
Network::Weights assignWeights(const ModelShape& shape, const std::vector<Parameter>& tensors);
/// Returns the tensors of Network::Weights in the order of fusedTensorsOf().
std::vector<at::Tensor> flattenedWeights(const ModelShape& shape, const Network::Weights& weights);

/// Reads frozen tensors. @return errors of the source; kInvalidArgument for a tensor of the wrong
/// size
Result<std::vector<Parameter>> readTensors(const WeightSource& source,
                                           const at::Device& device,
                                           at::ScalarType type);
/// Creates random trainable tensors for a new model.
std::vector<Parameter> randomTensors(const ModelShape& shape,
                                     std::uint64_t seed,
                                     const at::Device& device,
                                     at::ScalarType type,
                                     ParameterSet& parameters);

at::Tensor tensorOf(const std::vector<float>& numbers, const std::vector<std::int64_t>& shape);
std::vector<float> floatsOf(const at::Tensor& tensor);

}  // namespace spindle::trainer
