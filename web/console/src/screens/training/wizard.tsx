// From traces, a dataset or an artifact to a training job, in up to four steps.

import { useMemo } from "preact/hooks";

import { Page } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading } from "../../app/screen";
import type { SetOptions } from "../../app/url_state";
import { Button } from "../../ui/button";
import { type Draft, type Step, exportBody, fromTraces, problemOf, stepsOf, suggestedName } from "./draft";
import { DataStep } from "./data_step";
import { PreviewStep } from "./preview_step";
import { RewardStep } from "./reward_step";
import { StartStep } from "./start_step";

const TITLES: Record<Step, string> = { data: "Data", reward: "Reward", preview: "Preview", start: "Start" };

export interface StepProps {
  project: string;
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

export interface WizardProps {
  project: string;
  draft: Draft;
  onDraft: (draft: Draft, options?: SetOptions) => void;
  onClose: () => void;
  now: number;
}

export function Wizard({ project, draft, onDraft, onClose, now }: WizardProps) {
  useHeading("Train a model");
  const steps = stepsOf(draft);
  const step = steps.includes(draft.step) ? draft.step : "data";
  const at = steps.indexOf(step);
  const zone = timeZone.value;
  // Times such as "last 24 h" stay where they were while the wizard is open.
  const opened = useMemo(() => now, []);
  const set = (change: Partial<Draft>) => onDraft({ ...draft, ...change }, { replace: true });
  const go = (next: Step) => onDraft({ ...draft, step: next, ...(next === "start" && draft.name === "" ? { name: suggestedName(draft) } : {}) });
  const problem = problemOf(draft, step);
  const blocked = steps.findIndex((name) => problemOf(draft, name) !== null);
  const body = fromTraces(draft) ? exportBody(project, draft, opened, zone) : null;
  const next = steps[at + 1];
  const previous = steps[at - 1];
  const back = previous && <Button icon="arrowLeft" onClick={() => go(previous)}>{TITLES[previous]}</Button>;
  const props: StepProps = { project, draft, set };
  return (
    <Page title="Train a model" width="narrow" actions={<Button icon="close" onClick={onClose}>Leave</Button>}>
      <ol class="steps" aria-label="Steps">
        {steps.map((name, index) => (
          <li key={name} class={index === at ? "step step-on" : index < at ? "step step-done" : "step"}>
            <button type="button" aria-current={index === at ? "step" : undefined} disabled={index > at && blocked !== -1 && blocked < index} onClick={() => go(name)}>
              <span class="step-number" aria-hidden="true">{index < at ? "✓" : index + 1}</span>{TITLES[name]}
            </button>
          </li>
        ))}
      </ol>
      {step === "start" ? <StartStep {...props} body={body} back={back} /> : (
        <>
          <div class="card card-pad stack wizard-step">
            {step === "data" && <DataStep {...props} now={opened} />}
            {step === "reward" && <RewardStep {...props} />}
            {step === "preview" && body && <PreviewStep {...props} body={body} />}
          </div>
          <div class="wizard-foot">
            {back}
            <span class="ui-grow" />
            {problem && <span class="soft" role="status">{problem}</span>}
            {next && <Button kind="primary" disabled={problem !== null} onClick={() => go(next)}>Next: {TITLES[next].toLowerCase()}</Button>}
          </div>
        </>
      )}
    </Page>
  );
}
