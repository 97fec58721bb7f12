// Sends a test request and shows what came back.

import { useState } from "preact/hooks";

import { type ProbeReport, type Webhook, testWebhook } from "../../api/automation";
import { type MutationState, useMutation } from "../../api/cache";
import { formatDuration } from "../../format/durations";
import { Button } from "../../ui/button";
import { CodeEditor } from "../../ui/code_editor";
import { checkJson } from "../../ui/content/json_check";
import { Dialog } from "../../ui/dialog";
import { ErrorNote } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { AnswerStatus, Message } from "../shared_automation/exchange";

const SAMPLE = `{
  "text": "A test from Spindle"
}`;

function Report({ report }: { report: ProbeReport }) {
  const { request, response, error } = report;
  return (
    <div class="probe" role="status">
      <div class="probe-result">
        <Status state={report.success ? "ok" : "error"} word={report.success ? "The endpoint accepted the request" : "The endpoint did not accept the request"} />
        {response && <span>Status {response.status}</span>}
        <span class="faint">{formatDuration(report.duration_ms)}</span>
        {error && <span class="ui-tone-error"><SafeText text={error.message} /></span>}
      </div>
      <div class="exchange">
        <Message title="Request" headers={request?.headers ?? null} body={request?.body ?? null} none="No request was made." />
        <Message
          title="Response"
          note={response && <AnswerStatus status={response.status} />}
          headers={response?.headers ?? null}
          body={response?.body ?? null}
          truncated={response?.truncated ?? false}
          none={error?.message ?? "No response arrived."}
        />
      </div>
    </div>
  );
}

export function ProbeResult({ state }: { state: Pick<MutationState<void, ProbeReport>, "data" | "error"> }) {
  if (state.error) return <ErrorNote title="The test was not sent" message={state.error.message} requestId={state.error.requestId} />;
  return state.data ? <Report report={state.data} /> : null;
}

export function TestDialog({ team, webhook, onClose }: { team: string; webhook: Webhook; onClose: () => void }) {
  const [payload, setPayload] = useState(SAMPLE);
  const probe = useMutation({ change: () => testWebhook(team, webhook.id, { payload }) });
  const send = () => {
    if (checkJson(payload) === null) void probe.run().catch(() => undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Test ${webhook.name}`}
      size="large"
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" icon="send" busy={probe.pending} disabled={checkJson(payload) !== null} onClick={send}>
            {probe.data ? "Send again" : "Send the test"}
          </Button>
        </>
      }
    >
      <Field label="Payload" hint="A JSON template. Ten tests a minute for each team. Nothing is stored.">
        <CodeEditor value={payload} onInput={setPayload} rows={5} optional={false} onSubmit={send} />
      </Field>
      <ProbeResult state={probe} />
    </Dialog>
  );
}
