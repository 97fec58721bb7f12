// Answers of several models at a time, while they are written.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { type ApiError, asApiError, isAbort } from "../../api/errors";
import { type ChatUsage, completeStream } from "../../api/models";
import type { requestOf } from "./conversation";

export interface ModelAnswer {
  state: "waiting" | "writing" | "done" | "stopped" | "failed";
  text: string;
  error: ApiError | null;
  /** Milliseconds from sending to the first and to the last piece. */
  firstMs: number | null;
  totalMs: number | null;
  usage: ChatUsage | null;
  finish: string | null;
}

const NEW: ModelAnswer = { state: "waiting", text: "", error: null, firstMs: null, totalMs: null, usage: null, finish: null };
/** Pieces arrive faster than screens are drawn. */
const DRAW_MS = 50;

export function useAnswers(project: string) {
  const [answers, setAnswers] = useState<readonly (ModelAnswer | null)[]>([]);
  const aborts = useRef<AbortController[]>([]);
  const set = useCallback((index: number, answer: ModelAnswer) => setAnswers((before) => {
    const next = [...before];
    next[index] = answer;
    return next;
  }), []);

  const ask = useCallback(async (index: number, request: ReturnType<typeof requestOf>) => {
    aborts.current[index]?.abort();
    const abort = new AbortController();
    aborts.current[index] = abort;
    const start = performance.now();
    let answer = NEW;
    let drawn = 0;
    set(index, answer);
    try {
      for await (const chunk of completeStream(request, abort.signal, { "Compat-Project": project })) {
        const [choice] = chunk.choices;
        const piece = choice?.delta.content ?? "";
        const now = performance.now();
        answer = {
          ...answer, state: "writing", text: answer.text + piece, usage: chunk.usage ?? answer.usage, finish: choice?.finish_reason ?? answer.finish,
          firstMs: answer.firstMs ?? (piece === "" ? null : now - start),
        };
        if (now - drawn >= DRAW_MS) {
          drawn = now;
          set(index, answer);
        }
      }
      set(index, { ...answer, state: "done", totalMs: performance.now() - start });
    } catch (thrown) {
      if (aborts.current[index] !== abort) return;
      const stopped = isAbort(thrown);
      set(index, { ...answer, state: stopped ? "stopped" : "failed", error: stopped ? null : asApiError(thrown), totalMs: performance.now() - start });
    }
  }, [project, set]);

  const stop = useCallback(() => aborts.current.forEach((abort) => abort.abort()), []);
  const remove = useCallback((index: number) => {
    aborts.current[index]?.abort();
    aborts.current.splice(index, 1);
    setAnswers((before) => before.filter((_, at) => at !== index));
  }, []);
  useEffect(() => stop, [stop]);
  const busy = answers.some((answer) => answer?.state === "waiting" || answer?.state === "writing");
  return { answers, ask, stop, remove, busy };
}
