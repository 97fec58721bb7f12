// One training job: progress, plots, events, data, scores before and after, configuration, checkpoints.

import { useEffect, useState } from "preact/hooks";

import { invalidate, useMutation, useQuery } from "../../api/cache";
import { useLive } from "../../api/live";
import { type TrainingJobDetail, cancelTrainingJob, getTrainingJob } from "../../api/training";
import { href, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { type ScreenProps, useHeading, useProject } from "../../app/screen";
import { toast } from "../../app/toasts";
import { formatDuration } from "../../format/durations";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Icon } from "../../ui/icons";
import { SafeText } from "../../ui/safe_text";
import { Ago, useNow } from "../shared_parts/ago";
import { adviceFor } from "../shared_training/advice";
import { artifactPath } from "../shared_training/artifact_path";
import { AskDialog } from "../shared_training/ask_dialog";
import { stepWithAlias, useCheckpoints, useVersions } from "../shared_training/checkpoints";
import { EvaluateDialog } from "../shared_training/evaluate_dialog";
import { JobStatus, KindBadge, ProgressBar, isOpen, progressText } from "../shared_training/job_parts";
import { ProductionDialog } from "../shared_training/production";
import { useScores } from "../shared_training/scores";
import { AgainDialog } from "./again_dialog";
import { CheckpointStrip } from "./checkpoint_strip";
import { EventList } from "./event_list";
import { MOST_EVENTS, useJobEvents } from "./events";
import { BeforeAfter, ConfigPanel, DataPanel } from "./panels";
import { JobPlots } from "./plots";

type Layer = "cancel" | "again" | "ask" | "evaluate" | "production" | null;

function Panel({ title, actions, children }: { title: string; actions?: preact.ComponentChildren; children: preact.ComponentChildren }) {
  return (
    <section class="card panel" aria-label={title}>
      <header class="panel-head"><h2>{title}</h2>{actions}</header>
      {children}
    </section>
  );
}

function Failure({ job, onAgain }: { job: TrainingJobDetail; onAgain: (() => void) | null }) {
  const advice = adviceFor(job.kind, job.error_message);
  return (
    <div class="job-failure">
      <ErrorNote title="The job failed" message={job.error_message}>
        {advice && <p><strong>What to do:</strong> {advice.text}</p>}
        {onAgain && <p><Button icon="refresh" onClick={onAgain}>{advice && advice.fields.length > 0 ? `Again with another ${advice.fields[0]!.replaceAll("_", " ")}…` : "Again…"}</Button></p>}
      </ErrorNote>
    </div>
  );
}

function Body({ job, layer, setLayer }: { job: TrainingJobDetail; layer: Layer; setLayer: (layer: Layer) => void }) {
  const { team } = useProject();
  const rights = useRights(team);
  const open = isOpen(job);
  const events = useJobEvents(job.id, open);
  const checkpoints = useCheckpoints(job.model_id);
  const versions = useVersions(job.project, job.model);
  const steps = (checkpoints.data ?? []).map(({ step }) => step);
  const beforeStep = steps.filter((step) => job.step === null || step < job.step).at(-1) ?? null;
  const scores = useScores(job.project, job.model, steps.filter((step) => step === beforeStep || step === job.step));
  const [picked, setPicked] = useState<number | null>(null);
  const step = picked ?? job.step ?? steps.at(-1) ?? null;
  const model = step === null ? "" : artifactPath({ project: job.project, name: job.model, version: `step${step}` });
  const close = () => setLayer(null);
  return (
    <>
      {open && (
        <div class="job-bar card">
          <ProgressBar share={job.progress} label="Progress of the job" />
          <span class="nowrap" role="status">{progressText(job)}</span>
          {job.trainer && <span class="soft">trainer <SafeText text={job.trainer} line /></span>}
        </div>
      )}
      {job.status === "FAILED" && <Failure job={job} onAgain={rights.write ? () => setLayer("again") : null} />}
      {job.note && <div class="note" role="note"><Icon name="info" /><div><SafeText text={job.note} /></div></div>}
      <JobPlots events={events.data ?? []} open={open} />
      {(events.data?.length ?? 0) >= MOST_EVENTS && job.run_id && <p class="soft">Later steps are in <a href={href(paths.runs(job.project, job.run_id))}>the run of the model</a>.</p>}
      <div class="job-grid">
        <Panel title="Events" actions={open && <span class="faint">live</span>}>
          {events.error && !events.data ? <ErrorNote title="The events could not be read" message={events.error.message} requestId={events.error.requestId} onRetry={events.refetch} /> : <EventList events={events.data ?? []} open={open} />}
        </Panel>
        <div class="job-column">
          <Panel title="Data"><div class="card-pad"><DataPanel job={job} /></div></Panel>
          <Panel title="Before → after">
            <BeforeAfter
              project={job.project} beforeStep={beforeStep} afterStep={job.step} loading={scores.loading}
              before={beforeStep === null ? [] : scores.data?.get(beforeStep) ?? []} after={job.step === null ? [] : scores.data?.get(job.step) ?? []}
            />
          </Panel>
          <Panel title="Checkpoints" actions={<a href={href(paths.models(job.project, job.model))}>All</a>}>
            <Loaded state={checkpoints} what="list of checkpoints" lines={2}>
              {(data) => (
                <>
                  <CheckpointStrip checkpoints={data} versions={versions.data} own={job.step} chosen={step} onChoose={setPicked} />
                  {step !== null && rights.write && (
                    <div class="panel-foot">
                      <Button icon="chat" onClick={() => setLayer("ask")}>Ask</Button>
                      <Button icon="chart" onClick={() => setLayer("evaluate")}>Evaluate</Button>
                      <Button icon="rocket" disabled={stepWithAlias(versions.data) === step} onClick={() => setLayer("production")}>→ production</Button>
                    </div>
                  )}
                </>
              )}
            </Loaded>
          </Panel>
        </div>
        <Panel title="Configuration"><ConfigPanel job={job} /></Panel>
      </div>
      {layer === "again" && <AgainDialog job={job} onClose={close} />}
      {layer === "ask" && step !== null && <AskDialog model={model} title={`Ask step ${step} of ${job.model}`} onClose={close} />}
      {layer === "evaluate" && step !== null && <EvaluateDialog project={job.project} name={job.model} step={step} model={model} onClose={close} />}
      {layer === "production" && step !== null && <ProductionDialog project={job.project} name={job.model} step={step} current={stepWithAlias(versions.data)} onClose={close} />}
    </>
  );
}

function JobScreen({ id }: { id: string }) {
  const { id: project, team } = useProject();
  const rights = useRights(team);
  const now = useNow();
  const [layer, setLayer] = useState<Layer>(null);
  const job = useQuery({
    key: ["training job", id], read: (signal) => getTrainingJob(id, signal), every: (data) => (data && isOpen(data) ? 2000 : false), staleTime: 0,
  });
  useLive("jobs", project, () => job.refetch());
  const { data } = job;
  // The end of a job brings its last events and a checkpoint.
  useEffect(() => {
    if (!data || isOpen(data)) return;
    void invalidate(["training events", id]);
    void invalidate(["checkpoints", data.model_id]);
    void invalidate(["versions", data.project, data.model]);
  }, [data?.status]);
  useHeading(data ? `${data.model} · ${data.kind.toUpperCase()}` : "Training job");
  const cancel = useMutation({
    change: () => cancelTrainingJob(id),
    invalidates: [["training job", id], ["training jobs", project]],
    done: ({ status }) => {
      toast(status === "CANCELLED" ? { kind: "ok", text: "The job is cancelled." } : { kind: "info", text: `The job had already ended: ${status.toLowerCase()}.` });
      setLayer(null);
    },
  });
  const took = data?.training_start ? (data.training_end ? Date.parse(data.training_end) : now) - Date.parse(data.training_start) : null;
  return (
    <Page
      width="full"
      title={data ? <SafeText text={data.model} line /> : "Training job"}
      lead={data && (
        <span class="job-lead">
          <JobStatus status={data.status} /> <KindBadge kind={data.kind} /> <span>on <SafeText text={data.base_model} line /></span>
          {took !== null && <span>{formatDuration(took)}</span>}
          <span>created <Ago time={data.created_at} now={now} /> by <SafeText text={data.created_by} line /></span>
          {data.run_id && <a href={href(paths.runs(project, data.run_id))}>run of the model</a>}
        </span>
      )}
      actions={data && rights.write && (isOpen(data)
        ? <Button icon="stop" onClick={() => setLayer("cancel")}>Cancel</Button>
        : <Button icon="refresh" onClick={() => setLayer("again")}>Again with changes</Button>)}
    >
      <Loaded state={job} what="training job">{(shown) => <Body job={shown} layer={layer} setLayer={setLayer} />}</Loaded>
      <ConfirmDialog
        open={layer === "cancel"} title={`Cancel the training of ${data?.model ?? "this model"}?`} action="Cancel the job" busy={cancel.pending} error={cancel.error?.message ?? null}
        onClose={() => setLayer(null)} onConfirm={() => void cancel.run().catch(() => undefined)}
      >
        <p>No checkpoint is published. Its steps so far stay in the events.</p>
      </ConfirmDialog>
    </Page>
  );
}

export default function TrainingJob({ params }: ScreenProps) {
  return <JobScreen key={params.job} id={params.job ?? ""} />;
}
