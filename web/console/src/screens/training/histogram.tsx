// The distribution of rewards as bars, with the smallest one that is kept.

import type { RewardBucket, RewardSummary } from "../../api/training";
import { formatCount, formatSignificant } from "../../format/numbers";
import { classes } from "../../ui/class_names";

export function Histogram({ rewards, min }: { rewards: RewardSummary; min: number | null }) {
  const most = Math.max(1, ...rewards.histogram.map(({ count }) => count));
  const range = ({ from, to }: RewardBucket) => from === to ? formatSignificant(from, 3) : `${formatSignificant(from, 3)} to ${formatSignificant(to, 3)}`;
  return (
    <figure class="histogram">
      <figcaption class="soft">Rewards of {formatCount(rewards.count)} answers{min !== null && `; those below ${formatSignificant(min)} are left out`}</figcaption>
      <ul class="histogram-bars">
        {rewards.histogram.map((bucket) => (
          <li key={bucket.from} class={classes("histogram-bar", min !== null && bucket.to < min && "histogram-out")}>
            <span class="histogram-count">{formatCount(bucket.count)}</span>
            <span class="histogram-fill" style={{ height: `${Math.max(1, (64 * bucket.count) / most)}px` }} />
            <span class="histogram-range">{range(bucket)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
