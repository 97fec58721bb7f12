// Why a one-time link did not sign in; the login screen shows it.

import { signal } from "@preact/signals";

import type { ApiError } from "../api/errors";

export const usedLink = signal<ApiError | null>(null);
