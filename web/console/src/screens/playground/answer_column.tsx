// One model with its answer.

import { formatDuration } from "../../format/durations";
import { formatNumber, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { CopyButton } from "../../ui/copy_button";
import { ErrorNote } from "../../ui/feedback";
import { LazyDiff, LazyMarkdown } from "../../ui/lazy";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import type { ModelAnswer } from "./use_answers";

interface Props {
  index: number;
  model: string;
  models: string[];
  answer: ModelAnswer | null;
  /** The answer of the first model, to compare with. */
  base: { model: string; text: string } | null;
  removable: boolean;
  write: boolean;
  onModel: (model: string) => void;
  onRemove: () => void;
  onRetry: () => void;
  onContinue: () => void;
  onRow: () => void;
}

const WORDS = { waiting: ["running", "waiting"], writing: ["running", "writing"], done: ["ok", "done"], stopped: ["neutral", "stopped"], failed: ["error", "failed"] } as const;

/** Tokens per second after the first token. */
export function speedOf({ usage, firstMs, totalMs }: ModelAnswer): number | null {
  if (!usage || firstMs === null || totalMs === null || usage.completion_tokens < 2 || totalMs <= firstMs) return null;
  return (usage.completion_tokens - 1) / ((totalMs - firstMs) / 1000);
}

export function AnswerColumn({ index, model, models, answer, base, removable, write, onModel, onRemove, onRetry, onContinue, onRow }: Props) {
  const speed = answer ? speedOf(answer) : null;
  return (
    <section class="column" aria-label={`Answer ${index + 1}`}>
      <header class="column-head">
        <span class="column-model"><Combobox label={`Model ${index + 1}`} value={model} options={models.map((id) => ({ value: id }))} onChange={onModel} free placeholder="model" /></span>
        {removable && <Button small kind="quiet" icon="close" label={`Remove ${model || "the model"}`} onClick={onRemove} />}
      </header>
      <div class="column-body" aria-live="polite" aria-busy={answer?.state === "writing"} role="group" aria-label={`Text of answer ${index + 1}`} tabIndex={0}>
        {!answer && <p class="faint">The answer appears here.</p>}
        {answer?.error && <ErrorNote title={`${model} did not answer`} message={answer.error.message} requestId={answer.error.requestId} onRetry={onRetry} />}
        {answer && base && answer.state === "done"
          ? <LazyDiff before={base.text} after={answer.text} beforeLabel={base.model} afterLabel={model} layout="inline" />
          : answer && (answer.state === "done" ? <LazyMarkdown text={answer.text} /> : <pre class="value-text"><SafeText text={answer.text} /></pre>)}
      </div>
      {answer && (
        <footer class="column-foot">
          <Status state={answer.state} tone={WORDS[answer.state][0]} word={answer.finish === "length" ? "cut at the limit" : WORDS[answer.state][1]} />
          {answer.firstMs !== null && <span title="Time to the first token">first {formatDuration(answer.firstMs)}</span>}
          {answer.totalMs !== null && <span>{formatDuration(answer.totalMs)}</span>}
          {answer.usage && <span>{plural(answer.usage.total_tokens, "token")}</span>}
          {speed !== null && <span>{formatNumber(speed, 0)} tok/s</span>}
          <span class="ui-grow" />
          {answer.text !== "" && (
            <>
              <CopyButton text={answer.text} label="Copy the answer" />
              <Button small kind="quiet" icon="chat" label="Continue with this answer" onClick={onContinue} />
              {write && <Button small kind="quiet" icon="table" label="Save as a dataset row" onClick={onRow} />}
            </>
          )}
        </footer>
      )}
    </section>
  );
}
