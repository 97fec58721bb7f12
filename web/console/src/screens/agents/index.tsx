// Agents of a project: counts, tokens, errors; and one of them by version.

import { useState } from "preact/hooks";

import { type Agent, listAgents } from "../../api/agents";
import { useQuery } from "../../api/cache";
import { href, paths } from "../../app/location";
import { Loaded, Page } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { type ScreenProps, useProject } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatCount, formatShort } from "../../format/numbers";
import { formatShortTime } from "../../format/time";
import { Empty } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Table } from "../../ui/table";
import { perInvocation, tokensOf } from "./agent_data";
import { AgentView, ErrorShare } from "./agent_view";

const MOST = 500;
const FIND_FROM = 10;
const TEXT = codecs.text();

function otlpSnippet(project: string): string {
  const server = new URL("..", document.baseURI).href.replace(/\/$/, "");
  return `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${server}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer YOUR_API_KEY,project_id=${project}"`;
}

const ATTRIBUTES = `gen_ai.operation.name = "invoke_agent"
gen_ai.agent.name     = "planner"
gen_ai.agent.version  = "v2"
gen_ai.conversation.id = "c-17"`;

function AgentList() {
  const { id: project } = useProject();
  const [find, setFind] = useUrlState("find", TEXT);
  const [now] = useState(Date.now);
  const agents = useQuery({
    key: ["agents", project],
    read: (signal) => listAgents({ project_id: project, limit: MOST, include_costs: true }, signal),
    every: 30_000,
  });
  const wanted = find.trim().toLowerCase();
  return (
    <Page title="Agents" width="full" lead="Every agent that sent spans to this project, over all time.">
      <Loaded state={agents} what="project">
        {({ agents: rows }) => {
          if (rows.length === 0) {
            return (
              <Empty title="No agents yet" icon="bot" snippets={[{ title: "Export spans with OpenTelemetry", text: otlpSnippet(project) }, { title: "Attributes of an agent's span", text: ATTRIBUTES }]}>
                <p>Agents appear when their spans name them. Most agent frameworks do so with OpenTelemetry turned on.</p>
              </Empty>
            );
          }
          const shown = rows.filter(({ agent_name: name }) => name.toLowerCase().includes(wanted));
          return (
            <>
              {rows.length >= FIND_FROM && <div class="agents-find"><TextInput value={find} onInput={(text) => setFind(text, { replace: true })} icon="search" label="Find an agent" placeholder="Find an agent" /></div>}
              <div class="card">
                <Table
                  label="Agents" rows={shown} rowKey={(row) => row.agent_name} rowHref={(row) => href(paths.agents(project, row.agent_name))} empty="No agent matches."
                  columns={[
                    { key: "name", title: "Agent", wide: true, cell: (row: Agent) => <strong class="agent-name"><SafeText text={row.agent_name || "no name"} line /></strong> },
                    { key: "count", title: "Invocations", number: true, cell: (row: Agent) => formatCount(row.invocation_count) },
                    { key: "spans", title: "Spans", number: true, cell: (row: Agent) => formatCount(row.span_count) },
                    { key: "errors", title: "Errors", number: true, cell: (row: Agent) => <ErrorShare row={row} /> },
                    { key: "duration", title: "Span time each", number: true, cell: (row: Agent) => formatDuration(perInvocation(row.total_duration_ms, row)) },
                    { key: "tokens", title: "Tokens", number: true, cell: (row: Agent) => formatShort(tokensOf(row)) },
                    { key: "cost", title: "Cost", number: true, cell: (row: Agent) => formatCost(row.total_cost_usd) },
                    { key: "seen", title: "Last seen", number: true, cell: (row: Agent) => formatShortTime(row.last_seen, now, timeZone.value) },
                  ]}
                />
              </div>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

export default function Agents({ params }: ScreenProps) {
  return params.name ? <AgentView key={params.name} name={params.name} /> : <AgentList />;
}
