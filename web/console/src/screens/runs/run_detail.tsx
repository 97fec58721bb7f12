// One run: plots, configuration, summary, lineage; stop, tag, pin, delete.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { useLive } from "../../api/live";
import { type Run, type RunChange, changeRun, deleteRun, getRun, killRun, stopRun } from "../../api/runs";
import { href, navigate, paths } from "../../app/location";
import { useMe, useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { useHeading, useProject } from "../../app/screen";
import { toast, toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatCount } from "../../format/numbers";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { JsonView } from "../../ui/content/json_view";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Badge, Status } from "../../ui/status";
import { Tabs } from "../../ui/tabs";
import { Ago, useNow } from "../shared_parts/ago";
import { EditRunDialog } from "./edit_run";
import { Lineage } from "./lineage";
import { MetricPlots } from "./metric_plots";
import { PINNED, isLive } from "./metrics";

type Layer = "edit" | "stop" | "kill" | "delete" | null;

function Json({ label, value }: { label: string; value: Record<string, unknown> }) {
  return Object.keys(value).length === 0 ? <p class="soft more-none">Nothing was recorded.</p> : <div class="card run-json"><JsonView label={label} text={JSON.stringify(value, null, 2)} /></div>;
}

function Body({ project, run, now }: { project: string; run: Run; now: number }) {
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("plots", "config", "summary", "lineage", "system"));
  return (
    <>
      {run.notes && <div class="note" role="note"><Icon name="info" /><div class="run-notes"><SafeText text={run.notes} /></div></div>}
      <Tabs
        label="Parts of the run" open={tab} onOpen={(name) => setTab(name, { replace: true })}
        tabs={[
          { name: "plots", text: "Plots" }, { name: "config", text: "Configuration", count: Object.keys(run.config).length }, { name: "summary", text: "Summary", count: Object.keys(run.summary).length },
          { name: "lineage", text: "Lineage" }, { name: "system", text: "System" },
        ]}
      >
        <div class="tab-content">
          {tab === "plots" && <MetricPlots project={project} runs={[run]} />}
          {tab === "config" && <Json label="Configuration" value={run.config} />}
          {tab === "summary" && <Json label="Summary" value={run.summary} />}
          {tab === "lineage" && <Lineage project={project} run={run.run_id} now={now} />}
          {tab === "system" && <MetricPlots key="system" project={project} runs={[run]} system />}
        </div>
      </Tabs>
    </>
  );
}

const QUESTIONS: Record<"stop" | "kill" | "delete", { title: string; action: string; text: string; done: string }> = {
  stop: { title: "Ask this run to stop?", action: "Ask to stop", text: "The program is told at its next row or heartbeat, and ends by itself.", done: "The run is asked to stop." },
  kill: { title: "Kill this run?", action: "Kill", text: "The run ends at once as killed; the program may go on, but its rows are refused.", done: "The run is killed." },
  delete: { title: "Delete this run?", action: "Delete", text: "The run and its history are deleted. Artifacts that it made stay. This cannot be undone.", done: "The run is deleted." },
};

export function RunDetail({ id }: { id: string }) {
  const { id: project, team } = useProject();
  const run = useQuery({ key: ["run", project, id], read: (signal) => getRun(project, id, signal), every: (data) => (data && isLive(data) ? 5000 : false) });
  useLive("runs", project, () => run.refetch());
  const { data } = run;
  const rights = useRights(team);
  const { data: me } = useMe();
  const now = useNow();
  const [layer, setLayer] = useState<Layer>(null);
  useHeading(data?.name ?? "Run");
  const close = () => setLayer(null);
  const changed = [["run", project], ["runs", project]];
  const edit = useMutation({ change: (body: RunChange) => changeRun(project, id, body), invalidates: changed });
  const act = useMutation({
    change: async (kind: "stop" | "kill" | "delete") => {
      await (kind === "stop" ? stopRun(project, id) : kind === "kill" ? killRun(project, id) : deleteRun(project, id));
    },
    invalidates: changed,
    done: (_, kind) => {
      toast({ kind: "ok", text: QUESTIONS[kind].done });
      close();
      if (kind === "delete") navigate(paths.runs(project), { replace: true });
    },
  });
  const own = rights.administer || (rights.write && data?.user === me?.username);
  const pinned = data?.tags.includes(PINNED) ?? false;
  const pin = () => {
    if (!data) return;
    const tags = pinned ? data.tags.filter((tag) => tag !== PINNED) : [...data.tags, PINNED];
    void edit.run({ tags }).catch((error: unknown) => toastError("The run was not changed", error));
  };
  const question = layer === "stop" || layer === "kill" || layer === "delete" ? layer : null;
  return (
    <Page
      width="full" title={data ? <SafeText text={data.name} line /> : "Run"}
      lead={data && (
        <span class="job-lead">
          <Status state={data.state} {...(data.stop_requested && data.state === "running" ? { word: "stopping" } : {})} />
          {data.job_type && <Badge><SafeText text={data.job_type} line /></Badge>}
          {data.tags.filter((tag) => tag !== PINNED).map((tag) => <Badge key={tag} tone="accent"><SafeText text={tag} line /></Badge>)}
          {data.group && <a href={href(paths.runs(project), { group: data.group })}>group <SafeText text={data.group} line /></a>}
          <span>{formatCount(data.history_line_count)} rows</span>
          <span>{formatDuration(Date.parse(data.finished_at ?? data.heartbeat_at) - Date.parse(data.created_at))}</span>
          <span>created <Ago time={data.created_at} now={now} /> by <SafeText text={data.user} line /></span>
          {data.exit_code !== null && data.exit_code !== 0 && <span class="ui-tone-error">exit code {data.exit_code}</span>}
        </span>
      )}
      actions={data && (
        <>
          <Button icon="compare" href={href(paths.runs(project), { selected: data.run_id })}>Compare</Button>
          {rights.write && <Button icon="star" pressed={pinned} busy={edit.pending} onClick={pin}>{pinned ? "Pinned" : "Pin"}</Button>}
          {own && isLive(data) && !data.stop_requested && <Button icon="stop" onClick={() => setLayer("stop")}>Stop</Button>}
          {rights.write && (
            <Menu
              label="Further actions" icon="dots" align="end"
              items={[
                { text: "Name, tags, notes…", icon: "edit", onSelect: () => setLayer("edit") },
                ...(rights.administer && isLive(data) ? [{ text: "Kill…", icon: "alert" as const, danger: true, onSelect: () => setLayer("kill") }] : []),
                ...(own ? [{ kind: "line" as const }, { text: "Delete…", icon: "trash" as const, danger: true, onSelect: () => setLayer("delete") }] : []),
              ]}
            />
          )}
        </>
      )}
    >
      <Loaded state={run} what="run">{(shown) => <Body project={project} run={shown} now={now} />}</Loaded>
      {data && layer === "edit" && <EditRunDialog project={project} run={data} onClose={close} />}
      <ConfirmDialog
        open={question !== null} title={question ? `${QUESTIONS[question].title.slice(0, -1)}: ${data?.name ?? ""}?` : ""} action={question ? QUESTIONS[question].action : ""} danger={question !== "stop"}
        busy={act.pending} error={act.error?.message ?? null} onClose={close} onConfirm={() => void (question && act.run(question).catch(() => undefined))}
      >
        <p>{question && QUESTIONS[question].text}</p>
      </ConfirmDialog>
    </Page>
  );
}
