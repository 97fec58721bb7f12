// The webhooks of a team, and one of them.

import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import type { ScreenProps } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatPercent } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { useWebhooks } from "../shared_automation/use_team_rules";
import { Ago, useNow } from "../shared_parts/ago";
import { WebhookDetail } from "./detail";
import { HealthBar } from "./health_bar";
import { WebhookStatus, useHealth } from "./state";
import { WebhookDialog } from "./webhook_dialog";

function snippet(team: string): string {
  return [
    `spindle secret set ${team} CI_TOKEN --file ci-token.txt`,
    `spindle webhook create ${team} ci https://ci.example.com/hooks/models --token CI_TOKEN`,
    `spindle webhook test ${team} ci`,
  ].join("\n");
}

function WebhookList({ team }: { team: string }) {
  const webhooks = useWebhooks(team);
  const health = useHealth(team);
  const rights = useRights(team);
  const now = useNow();
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const add = rights.administer && <Button icon="add" kind="primary" onClick={() => setAdding(true)}>New webhook</Button>;
  return (
    <Page
      title="Webhooks"
      lead="Endpoints that automations call. Requests are stored before they are sent and repeated until they are accepted."
      actions={webhooks.data && webhooks.data.length > 0 && add}
    >
      <Loaded state={webhooks} what="list of webhooks">
        {(data) => data.length === 0 ? (
          <Empty
            title="No webhooks yet"
            icon="webhook"
            actions={<>{add}<Button href={href(paths.automations(team))}>Automations</Button></>}
            snippets={[{ title: "The same by command", text: snippet(team) }]}
          >
            <p>A webhook is an address that gets a request when something happens: a model gets the alias production, a training job fails, errors rise.</p>
          </Empty>
        ) : (
          <div class="card">
            <Table
              label="Webhooks"
              rows={data}
              rowKey={({ id }) => id}
              rowHref={({ id }) => href(paths.webhooks(team, id))}
              columns={[
                { key: "name", title: "Name", cell: ({ name }) => <span class="cut"><SafeText text={name} line /></span> },
                { key: "status", title: "Status", cell: (row) => <WebhookStatus webhook={row} /> },
                { key: "url", title: "Endpoint", wide: true, cell: ({ url_endpoint }) => <code class="cut"><SafeText text={url_endpoint} line /></code> },
                { key: "health", title: "Last 7 days", cell: ({ id }) => <HealthBar health={health.data?.get(id)} /> },
                { key: "rate", title: "Accepted", number: true, cell: ({ id }) => formatPercent(health.data?.get(id)?.success_rate) },
                { key: "p95", title: "p95", number: true, cell: ({ id }) => formatDuration(health.data?.get(id)?.latency_p95_ms) },
                {
                  key: "failure",
                  title: "Last failure",
                  cell: ({ id }) => {
                    const failure = health.data?.get(id)?.last_failure;
                    return failure
                      ? <a href={href(paths.delivery(failure.delivery_id))}><Ago time={failure.at} now={now} /></a>
                      : <span class="faint">none</span>;
                  },
                },
              ]}
            />
          </div>
        )}
      </Loaded>
      {adding && rights.administer && (
        <WebhookDialog
          team={team}
          onClose={() => setAdding(false, { replace: true })}
          onSaved={({ id }) => navigate(paths.webhooks(team, id))}
        />
      )}
    </Page>
  );
}

export default function Webhooks({ params }: ScreenProps) {
  const { team = "", id } = params;
  return id ? <WebhookDetail key={id} team={team} id={id} /> : <WebhookList team={team} />;
}
