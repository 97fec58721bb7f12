// Starts a job like an earlier one, with changes.

import { useState } from "preact/hooks";

import { useMutation } from "../../api/cache";
import { type TrainingJobDetail, retryTrainingJob } from "../../api/training";
import { navigate, paths } from "../../app/location";
import { toast } from "../../app/toasts";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { FormDialog } from "../shared_parts/form_dialog";
import { adviceFor } from "../shared_training/advice";
import { type Config, changesOf, configText } from "../shared_training/config";
import { ConfigFields } from "../shared_training/config_fields";

export function AgainDialog({ job, onClose }: { job: TrainingJobDetail; onClose: () => void }) {
  const [config, setConfig] = useState<Config>(job.config);
  const [data, setData] = useState(job.data_url ?? "");
  const changes = changesOf(job.config, config);
  const again = useMutation({
    change: () => retryTrainingJob(job.id, {
      ...(Object.keys(changes).length > 0 ? { config: changes } : {}),
      ...(data.trim() !== "" && data.trim() !== job.data_url ? { data_url: data.trim() } : {}),
    }),
    invalidates: [["training jobs", job.project]],
    done: ({ id }) => {
      toast({ kind: "ok", text: "The training job is created." });
      onClose();
      navigate(paths.trainingJob(job.project, id));
    },
  });
  const advice = adviceFor(job.kind, job.error_message);
  const error = (name: string) => again.error?.field(`config.${name}`) ?? null;
  return (
    <FormDialog
      title={`Train ${job.model} again`} action="Start training" size="medium" onClose={onClose} state={again} typed={Object.keys(changes).length > 0}
      valid={job.data_url !== null || data.trim() !== ""} onSubmit={() => void again.run().catch(() => undefined)} shown={["data_url"]}
    >
      {advice && <p class="soft">{advice.text}</p>}
      <ConfigFields kind={job.kind} value={config} onChange={setConfig} error={error} />
      <Field
        label="Data" required={job.data_url === null} error={again.error?.field("data_url") ?? null}
        hint={job.data_url === null ? "The groups that the client sent are deleted. Name an artifact with groups." : "Read again from here."}
      >
        <TextInput value={data} mono maxLength={4096} placeholder={`svc-artifact:///${job.project}/groups:v0`} onInput={setData} />
      </Field>
      <p class="ui-hint" role="status">
        {Object.keys(changes).length === 0 ? "Nothing is changed yet." : `Changed: ${Object.entries(changes).map(([name, value]) => `${name} ${configText(job.config[name])} → ${value === null ? "default" : configText(value)}`).join(", ")}`}
      </p>
    </FormDialog>
  );
}
