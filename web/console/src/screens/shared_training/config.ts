// The configuration of training jobs: defaults, fields of the form, differences.

export type JobKind = "sft" | "rl";
export type Config = Record<string, unknown>;

const FIXED = { lora_rank: 8, lora_alpha: 32, beta1: 0.9, beta2: 0.99, adam_epsilon: 1e-8, seed: 3407 };

const SFT: Config = {
  batch_size: 2, learning_rate: 5e-5, assistant_turns: "all", metric_logging: { enabled: false, target_training_step: null }, experimental_config: {},
  ...FIXED, weight_decay: 0, max_grad_norm: 1,
};

const RL: Config = {
  learning_rate: 5e-6, loss_fn: "cispo", ppo: false, epsilon: 1, epsilon_high: 4, importance_sampling_level: "token", scale_rewards: true,
  normalize_advantages: true, advantage_balance: 0, max_negative_advantage_importance_sampling_weight: null, mask_prob_ratio: false, kimi_k2_tau: null,
  kl_penalty_coef: 0, kl_penalty_source: null, kl_penalty_reference_step: null, kl_penalty_step_lag: null, kl_ref_adapter_path: null,
  truncated_importance_sampling: null, precalculate_logprobs: false, allow_training_without_logprobs: false, packed_sequence_length: null,
  logprob_calculation_chunk_size: 1024, num_trajectories_learning_rate_multiplier_power: 0, scale_learning_rate_by_reward_std_dev: false, plot_tensors: false,
  ...FIXED, weight_decay: 0.1, max_grad_norm: 0.1,
};

/** Returns the defaults of docs/training.md. Those that depend on another field follow it. */
export function defaultsOf(kind: JobKind, config: Config = {}): Config {
  if (kind === "sft") return SFT;
  const ppo = config.loss_fn === "ppo" || config.ppo === true;
  const epsilon = typeof config.epsilon === "number" ? config.epsilon : 0.2;
  return {
    ...RL,
    ...(ppo ? { epsilon: 0.2, epsilon_high: epsilon } : {}),
    ...(typeof config.kl_penalty_coef === "number" && config.kl_penalty_coef > 0 ? { kl_penalty_source: "sample" } : {}),
  };
}

export interface ConfigRow {
  name: string;
  value: unknown;
  initial: unknown;
  /** The value is not the default. */
  differs: boolean;
  /** The default is known. */
  known: boolean;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns the fields of a configuration, those that differ from the defaults first. */
export function configRows(kind: JobKind, config: Config): ConfigRow[] {
  const defaults = defaultsOf(kind, config);
  const rows = Object.entries(config).map(([name, value]) => {
    const known = name in defaults;
    const initial = defaults[name] ?? null;
    return { name, value, initial, known, differs: known ? !same(value ?? null, initial) : value !== null };
  });
  return [...rows.filter(({ differs }) => differs), ...rows.filter(({ differs }) => !differs)];
}

/** Writes a value of a configuration on one line: `5e-5`, `[3e-3 … 1e-4], 120 values`. */
export function configText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value) && value.length > 4 && value.every((item) => typeof item === "number")) {
    return `${numberText(value[0] as number)} … ${numberText(value.at(-1) as number)}, ${value.length} values`;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Twelve digits: a learning rate that was computed shows as 3e-4, not as 3.0000000000000003e-4. */
function numberText(exact: number): string {
  const value = Number(exact.toPrecision(12));
  const magnitude = Math.abs(value);
  if (value !== 0 && (magnitude < 0.001 || magnitude >= 1e6)) return value.toExponential().replace("e+", "e");
  return String(value);
}

/** Returns the members of `draft` that differ from `base`, for `retry`. Null restores a default. */
export function changesOf(base: Config, draft: Config): Config {
  return Object.fromEntries(Object.entries(draft).filter(([name, value]) => !same(value ?? null, base[name] ?? null)));
}

/** Returns the members that are set, for a new job. */
export function setMembers(draft: Config): Config {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null && value !== undefined && value !== ""));
}
