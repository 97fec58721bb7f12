// A conversation with a checkpoint.

import { useEffect, useRef, useState } from "preact/hooks";

import { asApiError } from "../../api/errors";
import { completeStream } from "../../api/models";
import { formatDuration } from "../../format/durations";
import { plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ErrorNote, Spinner } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { NumberInput, TextArea } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";

interface Turn {
  role: "user" | "assistant";
  content: string;
  note?: string;
}

export interface AskDialogProps {
  /** The `model` of the request. */
  model: string;
  title: string;
  onClose: () => void;
}

export function AskDialog({ model, title, onClose }: AskDialogProps) {
  const [turns, setTurns] = useState<Turn[]>([]);
  const [text, setText] = useState("");
  const [temperature, setTemperature] = useState<number | null>(0);
  const [error, setError] = useState<{ message: string; requestId: string | null } | null>(null);
  const [busy, setBusy] = useState(false);
  const request = useRef<AbortController | null>(null);
  const log = useRef<HTMLDivElement>(null);
  useEffect(() => () => request.current?.abort(), []);
  useEffect(() => log.current?.scrollTo({ top: log.current.scrollHeight }), [turns]);

  const ask = async () => {
    const question = text.trim();
    if (question === "" || busy) return;
    const history: Turn[] = [...turns, { role: "user", content: question }];
    const abort = new AbortController();
    request.current = abort;
    setTurns([...history, { role: "assistant", content: "" }]);
    setText("");
    setError(null);
    setBusy(true);
    const began = performance.now();
    let answer = "";
    let tokens = 0;
    try {
      const messages = history.map(({ role, content }) => ({ role, content }));
      const body = { model, messages, max_tokens: 512, ...(temperature === null ? {} : { temperature }) };
      for await (const chunk of completeStream(body as Parameters<typeof completeStream>[0], abort.signal)) {
        answer += chunk.choices[0]?.delta.content ?? "";
        tokens = chunk.usage?.completion_tokens ?? tokens;
        setTurns([...history, { role: "assistant", content: answer }]);
      }
      const note = [tokens > 0 && plural(tokens, "token"), formatDuration(performance.now() - began)].filter(Boolean).join(" · ");
      setTurns([...history, { role: "assistant", content: answer, note }]);
    } catch (thrown) {
      // What was written before it failed stays; the question comes back when nothing was answered.
      if (answer === "") {
        setTurns(history.slice(0, -1));
        setText(question);
      }
      if (!abort.signal.aborted) setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open onClose={onClose} title={title} size="medium" keepOpen={text !== "" || turns.length > 0} onSubmit={() => void ask()}
      actions={
        <>
          {turns.length > 0 && !busy && <span class="form-extra"><Button onClick={() => setTurns([])}>New conversation</Button></span>}
          {busy && <Button icon="stop" onClick={() => request.current?.abort()}>Stop</Button>}
          <Button type="submit" kind="primary" icon="send" disabled={text.trim() === ""} busy={busy}>Ask</Button>
        </>
      }
    >
      <div class="stack">
        <p class="faint wrap"><code><SafeText text={model} line /></code></p>
        {turns.length > 0 && (
          <div ref={log} class="ask-log" role="log" aria-label="Conversation" tabIndex={0}>
            {turns.map(({ role, content, note }, index) => (
              <div key={index} class={role === "user" ? "ask-turn ask-user" : "ask-turn"}>
                <div class="ask-role">{role === "user" ? "You" : "Checkpoint"}{note && ` · ${note}`}</div>
                {content === "" && busy ? <Spinner label="Waiting for the answer" /> : <SafeText text={content} />}
              </div>
            ))}
          </div>
        )}
        {error && <ErrorNote title="The checkpoint did not answer" message={error.message} requestId={error.requestId} />}
        <Field label="Your message" hint="Ctrl-Enter asks."><TextArea value={text} rows={3} onInput={setText} onSubmit={() => void ask()} /></Field>
        <Field label="Temperature" hint="0 always takes the most likely word."><NumberInput value={temperature} min={0} max={2} onInput={setTemperature} /></Field>
      </div>
    </Dialog>
  );
}
