// Models that can be asked: the list of the gateway, and chat completions.

import { get, send } from "./client";
import { ApiError } from "./errors";
import { linesOf } from "./lines";
import type { ChatCompletionRequest, CompletionMessage, ServedModelList } from "./schema";

export type {
  ChatCompletionRequest, CompletionMessage, ServedModel, ServedModelList, StreamOptions,
} from "./schema";

/** A piece of a streamed completion. */
export interface ChatChunk {
  id: string;
  model?: string;
  choices: { index: number; delta: { role?: string; content?: string | null }; finish_reason: string | null }[];
  usage?: ChatUsage | null;
}

export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface ChatCompletion {
  id: string;
  model: string;
  choices: { index: number; message: CompletionMessage & { content: string | null }; finish_reason: string | null }[];
  usage?: ChatUsage | null;
}

/** List available models. */
export function listServedModels(signal?: AbortSignal): Promise<ServedModelList> {
  return get<ServedModelList>("v1/models", {}, signal);
}

/** Asks a model. `headers` can name the project that is charged. */
export async function complete(
  body: ChatCompletionRequest & Record<string, unknown>,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<ChatCompletion> {
  const response = await send("POST", "v1/chat/completions", { body: { ...body, stream: false }, signal, headers });
  return (await response.json()) as ChatCompletion;
}

/** Asks a model and yields its answer while it is written. The last piece has the usage. */
export async function* completeStream(
  body: ChatCompletionRequest & Record<string, unknown>,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): AsyncGenerator<ChatChunk> {
  const response = await send("POST", "v1/chat/completions", {
    body: { ...body, stream: true, stream_options: { include_usage: true } },
    signal,
    headers,
  });
  if (!response.body) return;
  for await (const line of linesOf(response.body)) {
    if (!line.startsWith("data:")) continue;
    const data = line.slice(5).trim();
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data) as ChatChunk & { error?: { message?: string } };
    // An upstream can fail in the middle of its answer.
    if (chunk.error) throw new ApiError(502, chunk.error.message ?? "The model stopped answering.", chunk);
    yield chunk;
  }
}
