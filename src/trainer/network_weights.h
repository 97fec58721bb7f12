#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/network.h"

// The tensors of a network, and how a folder's become them. Inside this area only.

namespace spindle::trainer {

/// A tensor of a model: of several of the folder's, one below the other.
struct Piece {
  std::vector<std::string> names;
  std::vector<std::uint64_t> rows;  ///< of each
  std::uint64_t columns = 0;        ///< 0: it has but one dimension
  bool is_norm = false;
  bool is_residual = false;  ///< what it makes is added to what goes past it
  bool is_optional = false;
};

/// All of them, in the order of Network::Weights.
std::vector<Piece> piecesOf(const ModelShape& shape);

/// Deals the tensors of piecesOf() out.
Network::Weights dealtOut(const ModelShape& shape, const std::vector<Parameter>& tensors);
/// The other way round.
std::vector<at::Tensor> collected(const ModelShape& shape, const Network::Weights& weights);

/// Frozen ones. @return what the source returns; kInvalidArgument for one of another size
Result<std::vector<Parameter>> readTensors(const WeightSource& source,
                                           const at::Device& device,
                                           at::ScalarType type);
/// Those of a model that knows nothing, all of which learn.
std::vector<Parameter> randomTensors(const ModelShape& shape,
                                     std::uint64_t seed,
                                     const at::Device& device,
                                     at::ScalarType type,
                                     ParameterSet& parameters);

at::Tensor tensorOf(const std::vector<float>& numbers, const std::vector<std::int64_t>& shape);
std::vector<float> floatsOf(const at::Tensor& tensor);

}  // namespace spindle::trainer
