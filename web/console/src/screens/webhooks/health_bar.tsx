// The shares of accepted, failed and open deliveries.

import type { WebhookHealth } from "../../api/automation";
import { formatCount, plural } from "../../format/numbers";
import { healthOf } from "../shared_automation/health";

export function HealthBar({ health }: { health: WebhookHealth | undefined }) {
  if (!health) return <span class="faint">–</span>;
  const { succeeded, failed, open, total } = healthOf(health);
  if (total === 0) return <span class="faint">no deliveries</span>;
  const share = (count: number) => ({ width: `${(100 * count) / total}%` });
  const text = `${formatCount(succeeded)} accepted, ${formatCount(failed)} failed, ${formatCount(open)} open`;
  return (
    <span class="health" title={text}>
      <span class="health-bar" role="img" aria-label={text}>
        <span class="health-ok" style={share(succeeded)} />
        <span class="health-failed" style={share(failed)} />
        <span class="health-open" style={share(open)} />
      </span>
      <span class="nowrap soft">{failed > 0 ? plural(failed, "failure") : formatCount(total)}</span>
    </span>
  );
}
