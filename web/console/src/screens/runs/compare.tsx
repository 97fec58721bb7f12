// Several runs: their plots over each other, their configurations and results side by side.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type Run, getRun } from "../../api/runs";
import { href, paths } from "../../app/location";
import { Loaded, Page } from "../../app/page";
import { useHeading } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { truncate } from "../../format/truncate";
import { Button } from "../../ui/button";
import { Checkbox } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { MetricPlots } from "./metric_plots";
import { compareRecords, runLabels, valueText } from "./metrics";

export const MOST_COMPARED = 10;
/** Characters of a run's name above a column. */
const TITLE = 28;

function Differences({ label, runs, records }: { label: string; runs: readonly Run[]; records: readonly Record<string, unknown>[] }) {
  const [all, setAll] = useState(false);
  const entries = compareRecords(records);
  const rows = all ? entries : entries.filter(({ differs }) => differs);
  const names = runLabels(runs);
  return (
    <>
      <div class="filters"><Checkbox checked={all} onChange={setAll}>Show what is equal too ({entries.length})</Checkbox></div>
      <div class="card">
        <Table
          label={label} rows={rows} rowKey={({ name }) => name} empty={entries.length === 0 ? "Nothing was recorded." : "No differences."}
          columns={[
            { key: "name", title: "Name", cell: ({ name, differs }) => <code class={differs ? "changed" : undefined}><SafeText text={name} line /></code> },
            ...runs.map((run, index) => ({
              key: run.run_id, title: truncate(names[index]!, TITLE), cell: ({ values }: { values: unknown[] }) => <code class="cut"><SafeText text={valueText(values[index])} line /></code>,
            })),
          ]}
        />
      </div>
    </>
  );
}

export function Compare({ project, ids }: { project: string; ids: string[] }) {
  useHeading("Compare runs");
  const chosen = ids.slice(0, MOST_COMPARED);
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("plots", "config", "summary"));
  const runs = useQuery({
    key: ["run", project, "compare", chosen.join()],
    read: (signal) => Promise.all(chosen.map((id) => getRun(project, id, signal))),
  });
  return (
    <Page
      width="full" title={`Compare ${chosen.length} runs`}
      lead={runs.data && <span class="job-lead">{runs.data.map((run, index) => <a key={run.run_id} class="wrap" href={href(paths.runs(project, run.run_id))}><Status state={run.state} signOnly /> <SafeText text={runLabels(runs.data!)[index]!} line /></a>)}</span>}
      actions={<Button icon="arrowLeft" href={href(paths.runs(project), { selected: chosen.join(",") })}>Choose others</Button>}
    >
      <Loaded state={runs} what="runs">
        {(data) => (
          <Tabs
            label="Parts of the comparison" open={tab} onOpen={(name) => setTab(name, { replace: true })}
            tabs={[{ name: "plots", text: "Plots" }, { name: "config", text: "Configuration" }, { name: "summary", text: "Summary" }]}
          >
            <div class="tab-content">
              {tab === "plots" && <MetricPlots project={project} runs={data} />}
              {tab === "config" && <Differences label="Configurations" runs={data} records={data.map(({ config }) => config)} />}
              {tab === "summary" && <Differences label="Summaries" runs={data} records={data.map(({ summary }) => summary)} />}
            </div>
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}
