#include "training/api/trajectory_preview_view.h"

#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::training {
namespace {

using schema::Codec, schema::integer, schema::nullable, schema::number, schema::Record;

Codec<Excluded> excludedCodec() {
  return Record<Excluded>("TrajectoryExclusions")
      .required("failed", &Excluded::failed, integer(), "Calls that ended with an exception.")
      .required("no_answer", &Excluded::no_answer, integer(),
                "Calls or traces without an answer of a model.")
      .required("repeated_trace", &Excluded::repeated_trace, integer(),
                "Calls of a trace that is included already (`unit` `trace`).")
      .required("no_reward", &Excluded::no_reward, integer(), "Answers without a reward.")
      .required("below_min_reward", &Excluded::below_min_reward, integer(),
                "Answers with a reward below `min_reward`.")
      .codec();
}

Codec<RewardSummary> rewardsCodec() {
  const Codec<RewardBucket> bucket =
      Record<RewardBucket>("RewardBucket")
          .required("from", &RewardBucket::from, number(), "Smallest reward of the bucket.")
          .required("to", &RewardBucket::to, number(),
                    "End of the bucket. Included in the last bucket, and if equal to `from`.")
          .required("count", &RewardBucket::count, integer())
          .codec();
  return Record<RewardSummary>("RewardSummary")
      .required("count", &RewardSummary::count, integer())
      .required("min", &RewardSummary::min, number())
      .required("max", &RewardSummary::max, number())
      .required("mean", &RewardSummary::mean, number())
      .required("histogram", &RewardSummary::histogram, schema::list(bucket),
                "One bucket per value for up to 20 values, otherwise 20 of equal width.")
      .codec();
}

Codec<SampleView> sampleCodec() {
  return Record<SampleView>("TrajectorySample")
      .required("source", &SampleView::source, schema::map(schema::string()),
                "`call_id`, `trace_id` and `conversation_id`, as far as they exist.")
      .required("reward", &SampleView::reward, nullable(number()))
      .required("bytes", &SampleView::bytes, integer(), "Size of `data`.")
      .required("data", &SampleView::data, nullable(schema::jsonObject()),
                "The example (`sft`) or trajectory (`rl`); null if it is larger than 64 KiB.")
      .codec();
}

}  // namespace

PreviewView::PreviewView(const ExportPreview& preview, bool groups)
    : num_matching(preview.matching),
      num_calls(preview.seen),
      num_trajectories(preview.content.trajectories()),
      num_lines(preview.content.lines()),
      num_with_logprobs(preview.content.withLogprobs()),
      truncated(preview.truncated),
      excluded(preview.excluded),
      rewards(preview.rewards) {
  if (groups) num_trainable_groups = preview.content.trainableGroups();
  for (const TrajectorySample& sample : preview.content.samples()) {
    SampleView& view = samples.emplace_back();
    view.source = sample.source;
    view.reward = sample.reward;
    view.bytes = static_cast<std::int64_t>(sample.bytes);
    if (sample.json) view.data = json::Text{*sample.json};
  }
}

Codec<PreviewView> previewCodec() {
  using V = PreviewView;
  return Record<V>("TrajectoryPreview")
      .required("dry_run", &V::dry_run, schema::boolean(), "Always true.")
      .required("num_matching", &V::num_matching, nullable(integer()),
                "Number of calls that match, counted up to 1,000,000; null for agent traces.")
      .required("num_calls", &V::num_calls, integer(), "Number of calls or agent traces read.")
      .required("num_trajectories", &V::num_trajectories, integer())
      .required("num_lines", &V::num_lines, integer(), "Number of examples or groups.")
      .required("num_trainable_groups", &V::num_trainable_groups, nullable(integer()),
                "Number of groups with different rewards. Others have no training signal. Null "
                "for `sft`.")
      .required("num_with_logprobs", &V::num_with_logprobs, integer(),
                "Number of trajectories whose answer has log probabilities, which RL needs.")
      .required("truncated", &V::truncated, schema::boolean(),
                "A preview reads at most 10,000 calls or traces, 128 MiB of payload and for 10 "
                "seconds. True if it ended at such a limit.")
      .required("excluded", &V::excluded, excludedCodec())
      .required("rewards", &V::rewards, nullable(rewardsCodec()),
                "Rewards of all answers that have one, also below `min_reward`. Null without "
                "rewards.")
      .required("samples", &V::samples, schema::list(sampleCodec()), "At most 5.")
      .codec();
}

}  // namespace spindle::training
