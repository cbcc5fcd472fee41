// Our own words for what the data says in ids, and how numbers are written.

import type { Call, Tone } from "./data";

export const TONES: readonly Tone[] = ["bad", "warn", "unknown", "ok"];

/** A mark beside each colour, for those who do not see the colour. */
export const TONE_MARK: Record<Tone, string> = { bad: "✕", warn: "!", unknown: "?", ok: "✓" };

export const EXIT_CODE_FROM: Record<string, string> = {
  attribute: "an attribute of the span",
  result: "a field of the result",
  text: "the text of the result",
  mapping: "the result, where the configuration says it is",
};

export const DECLARED_BY: Record<string, string> = {
  span: "the span itself",
  user: "the configuration",
  catalogue: "the catalogue of known tools",
};

export const CHECKS: Record<string, string> = {
  "decided-delivered": "decided and delivered",
  existence: "existence",
  "empty-results": "empty results",
  record: "the record itself",
};

export const STANDINGS: Record<string, string> = {
  known: "known",
  consistent: "consistent",
  "not-sure": "not sure",
  ask: "ask a person",
  "not-assessed": "not assessed",
};

export const ACCOUNT_ROWS: Record<string, string> = {
  asked: "What was asked",
  understood: "How it was understood",
  checked: "What was checked",
  "not-checked": "What was not checked",
  found: "What was found",
  "how-sure": "How sure it is",
  "anything-wrong": "Anything wrong",
};

/** An id of ours as words: `undeclared-empty-used` as "undeclared empty used". */
export const plain = (id: string): string => id.replaceAll("-", " ");

export const many = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** What came back from a call; empty when nothing is to be said. */
export function cameBack(call: Call): string {
  if (!call.result_recorded && call.rows === null) return call.outcome === "ran" ? "result not recorded" : "";
  switch (call.emptiness) {
    case "non-empty":
      return call.rows === null ? "" : many(call.rows, "row");
    case "declared-absent":
      return "nothing there, and it said what it searched";
    case "undeclared-empty":
      return "no rows";
    case "clarify":
      return "asked back instead of answering";
    default:
      return "";
  }
}

/** A duration in microseconds, in the unit it reads best in. */
export function duration(us: number): string {
  const size = Math.abs(us);
  if (us === 0) return "0";
  if (size < 1_000) return `${us} µs`;
  if (size < 1_000_000) return `${trimmed(us / 1_000)} ms`;
  if (size < 120_000_000) return `${trimmed(us / 1_000_000)} s`;
  return `${trimmed(us / 60_000_000)} min`;
}

const trimmed = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** A time of day in UTC, so that two people who look at one report read one time. */
export const clock = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime())
    ? "an unreadable time"
    : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
};
