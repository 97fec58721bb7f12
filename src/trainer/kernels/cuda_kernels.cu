#include "trainer/kernels/cuda_kernels.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

namespace spindle::trainer {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kMostPairs = 2;  // of two numbers each, in each half of a head, for a lane

struct Pair {
  float x;
  float y;
};

__device__ Pair load(const __nv_bfloat16* from) {
  const __nv_bfloat162 both = *reinterpret_cast<const __nv_bfloat162*>(from);
  return {__low2float(both), __high2float(both)};
}

__device__ void store(__nv_bfloat16* to, float x, float y) {
  *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(x, y);
}

__device__ float rounded(float number) { return __bfloat162float(__float2bfloat16_rn(number)); }

__device__ float warpSum(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, distance);
  return value;
}

/// The head of a token that a warp processes, and the place of the thread in the warp.
struct WarpHead {
  std::int64_t warp;
  std::int64_t token;  ///< not less than the number of tokens if the warp has nothing to do
  std::int64_t head;
  int lane;
};

__device__ WarpHead warpHead(const HeadRows& rows) {
  const std::int64_t warp = (blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x) / kWarp;
  return {warp, warp / rows.heads, warp % rows.heads, static_cast<int>(threadIdx.x % kWarp)};
}

/// A warp processes one head of one token; a lane processes two numbers of each half at a time.
__global__ void turnKernel(HeadRows rows, __nv_bfloat16* rotated, float* inverse) {
  const WarpHead my = warpHead(rows);
  if (my.token >= rows.tokens) return;
  const int half = static_cast<int>(rows.width / 2);
  const auto* x = static_cast<const __nv_bfloat16*>(rows.fused) + my.token * rows.stride +
                  my.head * rows.width;
  const auto* weights = static_cast<const __nv_bfloat16*>(rows.weights);
  Pair a[kMostPairs];
  Pair b[kMostPairs];
  float sum = 0;
  for (int i = 0; i < kMostPairs; ++i) {
    const int at = 2 * (my.lane + i * kWarp);
    if (at >= half) break;
    a[i] = load(x + at);
    b[i] = load(x + half + at);
    sum += a[i].x * a[i].x + a[i].y * a[i].y + b[i].x * b[i].x + b[i].y * b[i].y;
  }
  float scale = 1;
  if (weights != nullptr) {
    scale = rsqrtf(warpSum(sum) / static_cast<float>(rows.width) + rows.epsilon);
    if (my.lane == 0) inverse[my.warp] = scale;
    weights += my.head * rows.width;
  }
  __nv_bfloat16* out = rotated + my.warp * rows.width;
  for (int i = 0; i < kMostPairs; ++i) {
    const int at = 2 * (my.lane + i * kWarp);
    if (at >= half) break;
    if (weights != nullptr) {
      const Pair wa = load(weights + at);
      const Pair wb = load(weights + half + at);
      a[i] = {rounded(a[i].x * scale) * wa.x, rounded(a[i].y * scale) * wa.y};
      b[i] = {rounded(b[i].x * scale) * wb.x, rounded(b[i].y * scale) * wb.y};
    }
    const float2 c = *reinterpret_cast<const float2*>(rows.cosines + my.token * half + at);
    const float2 s = *reinterpret_cast<const float2*>(rows.sines + my.token * half + at);
    store(out + at, a[i].x * c.x - b[i].x * s.x, a[i].y * c.y - b[i].y * s.y);
    store(out + half + at, b[i].x * c.x + a[i].x * s.x, b[i].y * c.y + a[i].y * s.y);
  }
}

__global__ void turnBackKernel(HeadRows rows,
                               const __nv_bfloat16* gradient,
                               const float* inverse,
                               __nv_bfloat16* changed) {
  const WarpHead my = warpHead(rows);
  if (my.token >= rows.tokens) return;
  const int half = static_cast<int>(rows.width / 2);
  const __nv_bfloat16* g = gradient + my.warp * rows.width;
  const std::int64_t place = my.token * rows.stride + my.head * rows.width;
  const auto* x = static_cast<const __nv_bfloat16*>(rows.fused) + place;
  const auto* weights = static_cast<const __nv_bfloat16*>(rows.weights);
  if (weights != nullptr) weights += my.head * rows.width;
  Pair a[kMostPairs];
  Pair b[kMostPairs];
  float along = 0;
  for (int i = 0; i < kMostPairs; ++i) {
    const int at = 2 * (my.lane + i * kWarp);
    if (at >= half) break;
    const Pair ga = load(g + at);
    const Pair gb = load(g + half + at);
    const float2 c = *reinterpret_cast<const float2*>(rows.cosines + my.token * half + at);
    const float2 s = *reinterpret_cast<const float2*>(rows.sines + my.token * half + at);
    a[i] = {ga.x * c.x + gb.x * s.x, ga.y * c.y + gb.y * s.y};
    b[i] = {gb.x * c.x - ga.x * s.x, gb.y * c.y - ga.y * s.y};
    if (weights == nullptr) continue;
    const Pair wa = load(weights + at);
    const Pair wb = load(weights + half + at);
    a[i] = {a[i].x * wa.x, a[i].y * wa.y};
    b[i] = {b[i].x * wb.x, b[i].y * wb.y};
    const Pair xa = load(x + at);
    const Pair xb = load(x + half + at);
    along += a[i].x * xa.x + a[i].y * xa.y + b[i].x * xb.x + b[i].y * xb.y;
  }
  float scale = 1;
  float back = 0;
  if (weights != nullptr) {
    scale = inverse[my.warp];
    back = warpSum(along) * scale * scale * scale / static_cast<float>(rows.width);
  }
  __nv_bfloat16* out = changed + place;
  for (int i = 0; i < kMostPairs; ++i) {
    const int at = 2 * (my.lane + i * kWarp);
    if (at >= half) break;
    if (weights != nullptr) {
      const Pair xa = load(x + at);
      const Pair xb = load(x + half + at);
      a[i] = {a[i].x * scale - xa.x * back, a[i].y * scale - xa.y * back};
      b[i] = {b[i].x * scale - xb.x * back, b[i].y * scale - xb.y * back};
    }
    store(out + at, a[i].x, a[i].y);
    store(out + half + at, b[i].x, b[i].y);
  }
}

/// Eight numbers, loaded together.
struct alignas(16) Eight {
  __nv_bfloat162 pairs[4];
};

__device__ float sigmoid(float x) { return 1 / (1 + __expf(-x)); }

/// The eight numbers that a thread of the gate kernels computes: a token and the first number.
struct GatePlace {
  std::int64_t token;  ///< not less than the number of tokens if the thread has nothing to do
  std::int64_t at;
};

__device__ GatePlace gatePlace(std::int64_t inner) {
  const std::int64_t each = inner / 8;
  const std::int64_t item = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  return {item / each, (item % each) * 8};
}

__global__ void gateKernel(const __nv_bfloat16* gate_up,
                           __nv_bfloat16* gated,
                           std::int64_t tokens,
                           std::int64_t inner) {
  const GatePlace my = gatePlace(inner);
  if (my.token >= tokens) return;
  const __nv_bfloat16* row = gate_up + my.token * 2 * inner;
  const Eight gate = *reinterpret_cast<const Eight*>(row + my.at);
  const Eight up = *reinterpret_cast<const Eight*>(row + inner + my.at);
  Eight out;
  for (int i = 0; i < 4; ++i) {
    const float2 g = __bfloat1622float2(gate.pairs[i]);
    const float2 u = __bfloat1622float2(up.pairs[i]);
    out.pairs[i] = __floats2bfloat162_rn(g.x * sigmoid(g.x) * u.x, g.y * sigmoid(g.y) * u.y);
  }
  *reinterpret_cast<Eight*>(gated + my.token * inner + my.at) = out;
}

__global__ void gateBackKernel(const __nv_bfloat16* gradient,
                               const __nv_bfloat16* gate_up,
                               __nv_bfloat16* changed,
                               std::int64_t tokens,
                               std::int64_t inner) {
  const GatePlace my = gatePlace(inner);
  if (my.token >= tokens) return;
  const __nv_bfloat16* row = gate_up + my.token * 2 * inner;
  __nv_bfloat16* out = changed + my.token * 2 * inner;
  const Eight gate = *reinterpret_cast<const Eight*>(row + my.at);
  const Eight up = *reinterpret_cast<const Eight*>(row + inner + my.at);
  const Eight wanted = *reinterpret_cast<const Eight*>(gradient + my.token * inner + my.at);
  Eight of_gate;
  Eight of_up;
  for (int i = 0; i < 4; ++i) {
    const float2 g = __bfloat1622float2(gate.pairs[i]);
    const float2 u = __bfloat1622float2(up.pairs[i]);
    const float2 w = __bfloat1622float2(wanted.pairs[i]);
    const float sx = sigmoid(g.x);
    const float sy = sigmoid(g.y);
    of_gate.pairs[i] = __floats2bfloat162_rn(w.x * u.x * sx * (1 + g.x * (1 - sx)),
                                             w.y * u.y * sy * (1 + g.y * (1 - sy)));
    of_up.pairs[i] = __floats2bfloat162_rn(w.x * g.x * sx, w.y * g.y * sy);
  }
  *reinterpret_cast<Eight*>(out + my.at) = of_gate;
  *reinterpret_cast<Eight*>(out + inner + my.at) = of_up;
}

unsigned blocksFor(std::int64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

}  // namespace

void rotateHeads(const HeadRows& rows, void* rotated, float* inverse, void* stream) {
  turnKernel<<<blocksFor(rows.tokens * rows.heads * kWarp), kThreads, 0,
               static_cast<cudaStream_t>(stream)>>>(
      rows, static_cast<__nv_bfloat16*>(rotated), inverse);
}

void rotateHeadsBackward(const HeadRows& rows,
                   const void* gradient,
                   const float* inverse,
                   void* changed,
                   void* stream) {
  turnBackKernel<<<blocksFor(rows.tokens * rows.heads * kWarp), kThreads, 0,
                   static_cast<cudaStream_t>(stream)>>>(
      rows, static_cast<const __nv_bfloat16*>(gradient), inverse,
      static_cast<__nv_bfloat16*>(changed));
}

void gateRows(const void* gate_up,
              void* gated,
              std::int64_t tokens,
              std::int64_t inner,
              void* stream) {
  gateKernel<<<blocksFor(tokens * inner / 8), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const __nv_bfloat16*>(gate_up), static_cast<__nv_bfloat16*>(gated), tokens,
      inner);
}

void gateRowsBackward(const void* gradient,
                  const void* gate_up,
                  void* changed,
                  std::int64_t tokens,
                  std::int64_t inner,
                  void* stream) {
  gateBackKernel<<<blocksFor(tokens * inner / 8), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const __nv_bfloat16*>(gradient), static_cast<const __nv_bfloat16*>(gate_up),
      static_cast<__nv_bfloat16*>(changed), tokens, inner);
}

}  // namespace spindle::trainer
