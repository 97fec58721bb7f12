// Requests to the API: session cookie, CSRF token, errors, retries, signing in again.

import { connectionLost } from "./connection";
import { ApiError, errorOf, isAbort } from "./errors";
import { type QueryValues, url } from "./urls";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RequestOptions {
  query?: QueryValues;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  payload?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** The request changes nothing, so it may be sent again. GET requests always may. */
  read?: boolean;
  /** The answer 401 is an error of this request and does not mean that the session has ended. */
  anonymous?: boolean;
}

/** What the client needs from the session; main.tsx sets it. */
export interface SessionAccess {
  csrfToken(): string | null;
  /** Reads the session again and returns true if the CSRF token has changed. */
  refresh(): Promise<boolean>;
  /** Asks the person to sign in again. Returns false if they do not want to; then only changes ask again. */
  signInAgain(cause: "read" | "change"): Promise<boolean>;
}

const NO_SESSION: SessionAccess = {
  csrfToken: () => null,
  refresh: async () => false,
  signInAgain: async () => false,
};

let access: SessionAccess = NO_SESSION;

export function setSessionAccess(next: SessionAccess): void {
  access = next;
}

/** Rejects changes that must not be sent. */
export type ChangeGuard = (path: string) => Promise<void>;

let guardChange: ChangeGuard = async () => undefined;

export function setChangeGuard(next: ChangeGuard): void {
  guardChange = next;
}

const RETRIES = 3;
const FIRST_DELAY_S = 0.5;
const LONGEST_DELAY_S = 10;

function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    const abort = () => {
      clearTimeout(timer);
      reject(new DOMException("Aborted", "AbortError"));
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Resolves with the promise, or rejects as soon as the signal is aborted. */
function orAbort(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => reject(new DOMException("Aborted", "AbortError"));
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function init(method: Method, options: RequestOptions): RequestInit {
  const headers: Record<string, string> = { ...options.headers };
  const token = method === "GET" ? null : access.csrfToken();
  if (token) headers["X-CSRF-Token"] = token;
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  const result: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store" };
  if (options.body !== undefined) result.body = JSON.stringify(options.body);
  else if (options.payload !== undefined) result.body = options.payload;
  if (options.signal) result.signal = options.signal;
  return result;
}

async function fetchOnce(method: Method, path: string, options: RequestOptions): Promise<Response> {
  try {
    return await fetch(url(path, options.query), init(method, options));
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, "The server cannot be reached.");
  }
}

/**
 * Sends a request and returns its response with a status below 400. Reads are repeated after 429, 503 and
 * lost connections. After 401 the person signs in again and the request is repeated. Throws ApiError, or an
 * AbortError when `signal` is aborted.
 */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const repeatable = options.read ?? method === "GET";
  let tokenRefreshed = false;
  if (!repeatable && method !== "GET" && !options.anonymous) await guardChange(path);
  for (let attempt = 0; ; ) {
    let error: ApiError;
    try {
      const response = await fetchOnce(method, path, options);
      if (response.ok) return response;
      error = await errorOf(response);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      error = thrown;
    }
    if (error.offline) {
      const restored = connectionLost();
      if (!repeatable) {
        throw new ApiError(0, "The server cannot be reached. The change may not have been made: look before you repeat it.");
      }
      await orAbort(restored, options.signal);
    } else if (error.status === 401 && !options.anonymous) {
      if (!(await access.signInAgain(repeatable ? "read" : "change"))) throw error;
    } else if (error.status === 403 && method !== "GET" && !options.anonymous && !tokenRefreshed) {
      // Another tab may have signed in, which makes the token of this one useless.
      tokenRefreshed = true;
      if (!(await access.refresh())) throw error;
    } else if ((error.status === 429 || error.status === 503) && repeatable && attempt < RETRIES) {
      const backoff = FIRST_DELAY_S * 2 ** attempt * (0.75 + Math.random() / 2);
      const delay = error.retryAfter ?? backoff;
      if (delay > LONGEST_DELAY_S) throw error;
      attempt += 1;
      await wait(Math.max(delay, backoff), options.signal);
    } else {
      throw error;
    }
  }
}

async function json<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** Reads with GET. */
export async function get<T>(path: string, query: QueryValues = {}, signal?: AbortSignal): Promise<T> {
  return json<T>(await send("GET", path, { query, signal }));
}

/** Reads with POST: the request changes nothing and is repeated like a GET. */
export async function read<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return json<T>(await send("POST", path, { body, signal, read: true }));
}

/** Changes something. */
export async function change<T>(method: Method, path: string, body?: unknown, query: QueryValues = {}): Promise<T> {
  return json<T>(await send(method, path, { body, query }));
}

/** Reads a file as bytes. */
export async function readBlob(path: string, options: RequestOptions & { method?: Method } = {}): Promise<Blob> {
  const { method = "GET", ...rest } = options;
  return (await send(method, path, { read: true, ...rest })).blob();
}
