// Errors of the API in one shape, whichever policy of the server wrote them.

/** One rule that a request violates: the path of the member and what is wrong with it. */
export interface FieldError {
  path: string;
  message: string;
}

/** A refused or failed request. `status` is 0 when no answer came. */
export class ApiError extends Error {
  override name = "ApiError";

  constructor(
    readonly status: number,
    message: string,
    /** The decoded body of the answer. */
    readonly detail: unknown = null,
    readonly requestId: string | null = null,
    /** Seconds after which the server wants to be asked again. */
    readonly retryAfter: number | null = null,
    readonly fields: readonly FieldError[] = [],
  ) {
    super(message);
  }

  /** True when the request reached no server. */
  get offline(): boolean {
    return this.status === 0;
  }

  /** True for things that do not exist or that the caller cannot see. */
  get missing(): boolean {
    return this.status === 404;
  }

  /** Returns the message, unless each wrong member is one of `paths`, which a form shows beside its inputs. */
  besides(...paths: string[]): string | null {
    return this.fields.length > 0 && this.fields.every(({ path }) => paths.includes(path)) ? null : this.message;
  }

  /** Returns what is wrong with one member of the request, or null. */
  field(path: string): string | null {
    return this.fields.find((error) => error.path === path)?.message ?? null;
  }
}

const FALLBACK: Record<number, string> = {
  401: "You are not signed in.",
  403: "You are not allowed to do this.",
  404: "Not found, or you cannot see it.",
  408: "The server waited too long for the request.",
  409: "Someone changed this at the same time.",
  413: "This is larger than the server accepts.",
  429: "Too many requests.",
  500: "The server failed on this request.",
  502: "The server behind this one did not answer.",
  503: "The server is busy.",
  504: "The server took too long to answer.",
  507: "The disk of the server is full.",
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the `loc` and `msg` of a validation error; the first part of `loc` says where the value was sent. */
function fieldErrors(detail: unknown): FieldError[] {
  if (!Array.isArray(detail)) return [];
  return detail.filter(isRecord).map((item) => {
    const place = Array.isArray(item.loc) ? item.loc.map(String) : [];
    const path = ["body", "query", "path", "header"].includes(place[0] ?? "") ? place.slice(1) : place;
    return { path: path.join("."), message: String(item.msg ?? "is not valid") };
  });
}

function messageOf(body: unknown, fields: FieldError[]): string | null {
  if (fields.length > 0) {
    return fields.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  }
  if (!isRecord(body)) return null;
  for (const candidate of [body.detail, body.reason, body.message, body.error]) {
    if (typeof candidate === "string" && candidate !== "") return candidate;
    if (isRecord(candidate) && typeof candidate.message === "string") return candidate.message;
  }
  return null;
}

/** Returns what the reader can do about a status, unless the message says so. */
function adviceOn(status: number, message: string, retryAfter: number | null): string | null {
  if (status === 413) return "Make it smaller, or send it in parts.";
  if ((status !== 429 && status !== 503) || /try again/i.test(message)) return null;
  return retryAfter === null || retryAfter < 2 ? "Try again in a moment." : `Try again in ${Math.ceil(retryAfter)} seconds.`;
}

function joinSentences(first: string, second: string | null): string {
  if (second === null) return first;
  return `${first}${/[.!?…]$/.test(first) ? "" : "."} ${second}`;
}

/** Returns the error that describes a response with a status of 400 or more. */
export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Proxies answer with pages; their text is not for people.
  }
  const fields = isRecord(body) ? fieldErrors(body.detail) : [];
  const { status } = response;
  const message = messageOf(body, fields) ?? FALLBACK[status] ?? `The server answered with status ${status}.`;
  const wait = Number.parseFloat(response.headers.get("Retry-After") ?? "");
  const retryAfter = Number.isFinite(wait) ? Math.max(wait, 0) : null;
  const words = joinSentences(message, adviceOn(status, message, retryAfter));
  return new ApiError(status, words, body, response.headers.get("X-Request-Id"), retryAfter, fields);
}

/** Returns an error for anything that was thrown. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(-1, thrown instanceof Error ? thrown.message : String(thrown));
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}
