// What the page gets, as `otel_footprint/report/data.py` writes it. `null` means: not recorded.

export type Tone = "bad" | "warn" | "ok" | "unknown";

export interface Problem {
  about: string;
  lost: boolean;
}

export interface Head {
  live: boolean;
  version: string;
  spans: number;
  programs: boolean;
  problems: Problem[];
}

export interface Row {
  trace_id: string;
  span_id: string;
  tone: Tone;
  about: string;
  standing: string | null;
  agent: string | null;
  turn: number | null;
  conversation: string | null;
  nested_in: string | null;
  ran_in: string | null;
  /** Unix milliseconds. */
  start: number | null;
  /** Microseconds. */
  duration: number | null;
  question: string | null;
  answer: string | null;
  tools: string[];
  signals: string[];
  reasons: string[];
  outcomes: string[];
  unchecked: string[];
  calls: number;
  failed: number;
  programs: number;
  incomplete: boolean;
}

/** Where something was read: `SPAN_ID#attribute:KEY/json/pointer`, `SPAN_ID#event:INDEX/KEY` or `SPAN_ID#status`. */
export type Evidence = string;

export interface Timed {
  /** Microseconds after the turn's start. */
  start: number | null;
  end: number | null;
}

export interface Call extends Timed {
  span_id: string | null;
  carrier: string;
  tool: string | null;
  call_id: string | null;
  outcome: string;
  code_run: boolean;
  result_recorded: boolean;
  emptiness: string;
  rows: number | null;
  undeclared_shape: boolean;
  rows_unread: string | null;
  notes: string[];
  iteration: number;
}

export interface ModelCall extends Timed {
  span_id: string;
  model: string | null;
  failed: boolean;
}

export interface Script {
  about: string;
  span_id: string | null;
  outcome: string;
  exit_code: number | null;
  exit_code_from: string | null;
  exit_code_of: string | null;
  exit_means: string | null;
  service_error: boolean;
  tool: string;
  call_id: string | null;
  dispatch: number;
  argument: string | null;
  language: string | null;
  bytes: number | null;
  lines: number | null;
  sha256: string | null;
  rewritten: boolean;
  result_withheld: string | null;
  shown: string | null;
  declared_by: string;
  program: string;
  text: string | null;
  evidence: Evidence[];
}

export interface Signal {
  about: string;
  id: string;
  check: string;
  tone: "warn" | "bad";
  tool: string | null;
  call_id: string | null;
  evidence: Evidence[];
}

export interface Unreached {
  about: string;
  check: string;
  missing: string;
  tool: string | null;
  call_id: string | null;
  enable: string | null;
  evidence: Evidence[];
}

export interface Reason {
  about: string;
  reason: string;
  class: string;
  source: string;
  witnesses: number;
  evidence: Evidence[];
}

export interface AccountLine {
  text: string;
  source: string;
  status: string;
  item: boolean;
  evidence: Evidence[];
}

export interface Account {
  rows: { id: string; omitted: number; lines: AccountLine[] }[];
  unread: number;
}

export interface Detail {
  name: string;
  schema: string;
  wording: string;
  finished: boolean;
  stand_in: boolean;
  revision: number;
  incomplete: string[];
  notes: string[];
  calls: Call[];
  calls_omitted: number;
  models: ModelCall[];
  models_omitted: number;
  scripts: Script[];
  scripts_dropped: number;
  signals: Signal[];
  signals_omitted: number;
  unreached: Unreached[];
  lines_omitted: number;
  reasons: Reason[];
  checks: { reachable: string[]; unreachable: string[]; not_applicable: string[] };
  wrong: string[];
  not_evaluated: string[];
  unsupported: string[];
  unsupported_capped: boolean;
  account: Account | null;
}

/** What a person clicked on: its evidence is lit on the timeline. */
export interface Lit {
  key: string;
  evidence: Evidence[];
  call_id?: string | null;
  tool?: string | null;
}

export const keyOf = (row: Row): string => `${row.trace_id}/${row.span_id}`;
