// One trained model: its checkpoints as a ladder, its jobs; ask, evaluate, production, delete.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { useLive } from "../../api/live";
import { type TrainedModelDetail, deleteCheckpoints, deleteTrainedModel } from "../../api/training";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Hidden } from "../../app/not_found";
import { Loaded, Page } from "../../app/page";
import { useHeading } from "../../app/screen";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { CopyButton } from "../../ui/copy_button";
import { ConfirmDialog } from "../../ui/dialog";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Tabs } from "../../ui/tabs";
import { Ago, useNow } from "../shared_parts/ago";
import { artifactPath } from "../shared_training/artifact_path";
import { AskDialog } from "../shared_training/ask_dialog";
import { stepWithAlias, useCheckpoints, useVersions } from "../shared_training/checkpoints";
import { EvaluateDialog } from "../shared_training/evaluate_dialog";
import { JobTable } from "../shared_training/job_table";
import { ProductionDialog } from "../shared_training/production";
import { SCORED_STEPS, useScores } from "../shared_training/scores";
import { Ladder } from "./ladder_table";
import { rungsOf } from "./ladder";
import { useTrainedModels } from "./use_models";

type Layer = { kind: "ask" | "evaluate" | "production"; step: number } | { kind: "delete"; steps: number[] } | { kind: "delete model" } | null;

function Body({ project, team, model, now, setLayer }: { project: string; team: string; model: TrainedModelDetail; now: number; setLayer: (layer: Layer) => void }) {
  const rights = useRights(team);
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("checkpoints", "jobs"));
  const checkpoints = useCheckpoints(model.id);
  const versions = useVersions(project, model.name);
  const scores = useScores(project, model.name, (checkpoints.data ?? []).map(({ step }) => step));
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  return (
    <Tabs
      label="Parts of the model" open={tab} onOpen={(name) => setTab(name, { replace: true })}
      tabs={[{ name: "checkpoints", text: "Checkpoints", count: checkpoints.data?.length ?? null }, { name: "jobs", text: "Jobs" }]}
      actions={rights.write && selected.size > 0 && tab === "checkpoints" && (
        <Button icon="trash" onClick={() => setLayer({ kind: "delete", steps: [...selected].sort((a, b) => a - b) })}>Delete {plural(selected.size, "checkpoint")}…</Button>
      )}
    >
      <div class="tab-content">
        {tab === "jobs" ? <JobTable project={project} model={model.id} now={now} empty={<p class="soft more-none">No job has trained this model yet.</p>} /> : (
          <Loaded state={checkpoints} what="list of checkpoints">
            {(data) => (
              <>
                <Ladder
                  rungs={rungsOf(data, versions.data, scores.data)} project={project} name={model.name} now={now} write={rights.write}
                  selected={selected} onSelect={setSelected} onAction={(kind, step) => setLayer(kind === "delete" ? { kind, steps: [step] } : { kind, step })}
                />
                {data.length > SCORED_STEPS && <p class="soft">Scores of the newest {SCORED_STEPS} checkpoints are shown.</p>}
                {scores.error && <p class="soft" role="alert">The scores could not be read: <SafeText text={scores.error.message} line /></p>}
              </>
            )}
          </Loaded>
        )}
      </div>
    </Tabs>
  );
}

export function ModelDetail({ project, team, name }: { project: string; team: string; name: string }) {
  const models = useTrainedModels(project);
  const model = models.data?.find((entry) => entry.name === name);
  const versions = useVersions(project, model?.name);
  const rights = useRights(team);
  const now = useNow();
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  useHeading(name);
  useLive("jobs", project, () => models.refetch());
  const changed = [["checkpoints", model?.id ?? ""], ["versions", project, name], ["trained models", project], ["collections", project]];
  const remove = useMutation({
    change: (steps: number[]) => deleteCheckpoints(model!.id, { steps }),
    invalidates: changed,
    done: (_, steps) => {
      toast({ kind: "ok", text: `${plural(steps.length, "checkpoint is", "checkpoints are")} deleted.` });
      close();
    },
  });
  const removeModel = useMutation({
    change: () => deleteTrainedModel(model!.id),
    invalidates: changed,
    done: () => {
      toast({ kind: "ok", text: `The model ${name} is deleted.` });
      navigate(paths.models(project), { replace: true });
    },
  });
  const address = (step: number) => artifactPath({ project, name, version: `step${step}` });
  const production = stepWithAlias(versions.data);
  const steps = layer?.kind === "delete" ? layer.steps : [];
  return (
    <Page
      title={<SafeText text={name} line />}
      lead={model && (
        <>on <SafeText text={model.base_model} line /> · {production === null ? "not in production" : `step ${production} is in production`} · created <Ago time={model.created_at} now={now} /> by <SafeText text={model.created_by} line /></>
      )}
      actions={model && (
        <>
          <CopyButton text={model.artifact} label="Copy the name for requests">Copy the name for requests</CopyButton>
          {model.run_id && <Button icon="chart" href={href(paths.runs(project, model.run_id))}>Metrics</Button>}
          {rights.write && (
            <>
              <Button icon="add" kind="primary" href={href(paths.training(project), { wizard: JSON.stringify({ model: model.id }) })}>Train further</Button>
              <Menu label="Further actions" icon="dots" align="end" items={[{ text: "Delete the model…", icon: "trash", danger: true, onSelect: () => setLayer({ kind: "delete model" }) }]} />
            </>
          )}
        </>
      )}
    >
      <Loaded state={models} what="model">
        {() => model ? <Body project={project} team={team} model={model} now={now} setLayer={setLayer} /> : <Hidden what="model" />}
      </Loaded>
      {layer?.kind === "ask" && <AskDialog model={address(layer.step)} title={`Ask step ${layer.step} of ${name}`} onClose={close} />}
      {layer?.kind === "evaluate" && <EvaluateDialog project={project} name={name} step={layer.step} model={address(layer.step)} onClose={close} />}
      {layer?.kind === "production" && <ProductionDialog project={project} name={name} step={layer.step} current={production} onClose={close} />}
      <ConfirmDialog
        open={layer?.kind === "delete"} title={steps.length === 1 ? `Delete step ${steps[0]} of ${name}?` : `Delete ${steps.length} checkpoints of ${name}?`} action="Delete" count={steps.length}
        busy={remove.pending} error={remove.error?.message ?? null} onClose={close} onConfirm={() => void remove.run(steps).catch(() => undefined)}
      >
        <p>
          {steps.length === 1 ? `Step ${steps[0]} and its artifact are deleted. Its number is not used again.` : `Steps ${steps.join(", ")} and their artifacts are deleted. Their numbers are not used again.`}
          {steps.includes(production ?? -1) && (steps.length === 1 ? " It is in production." : ` Step ${production} is in production.`)} This cannot be undone.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={layer?.kind === "delete model"} title={`Delete the model ${name}?`} action="Delete the model" typedName={name} busy={removeModel.pending} error={removeModel.error?.message ?? null}
        onClose={close} onConfirm={() => void removeModel.run().catch(() => undefined)}
      >
        <p>{plural(model?.checkpoints ?? 0, "checkpoint")}, their artifacts and the run of the model are deleted, and its jobs are cancelled. This cannot be undone.</p>
      </ConfirmDialog>
    </Page>
  );
}
