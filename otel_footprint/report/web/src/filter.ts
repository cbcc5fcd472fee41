// Which turns are shown, and in which order.

import type { Row, Tone } from "./data";

export interface Filter {
  words: string;
  tones: ReadonlySet<Tone>;
  finding: string;
  outcome: string;
  agent: string;
  worstFirst: boolean;
}

export const NO_FILTER: Filter = {
  words: "",
  tones: new Set(),
  finding: "",
  outcome: "",
  agent: "",
  worstFirst: false,
};

const SEVERITY: Record<Tone, number> = { bad: 0, warn: 1, unknown: 2, ok: 3 };

const haystacks = new WeakMap<Row, string>();

function haystack(row: Row): string {
  let text = haystacks.get(row);
  if (text === undefined) {
    const { about, agent, conversation, question, answer, trace_id, span_id } = row;
    const parts = [about, agent, conversation, question, answer, trace_id, span_id];
    const lists = [row.tools, row.signals, row.reasons, row.outcomes, row.unchecked];
    text = [...parts.filter((part) => part !== null), ...lists.flat()].join("\n").toLowerCase();
    haystacks.set(row, text);
  }
  return text;
}

export function filtered(rows: Row[], filter: Filter): Row[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const kept = rows.filter(
    (row) =>
      (filter.tones.size === 0 || filter.tones.has(row.tone)) &&
      (!filter.finding || row.signals.includes(filter.finding) || row.reasons.includes(filter.finding)) &&
      (!filter.outcome || row.outcomes.includes(filter.outcome)) &&
      (!filter.agent || (row.agent ?? "") === filter.agent) &&
      words.every((word) => haystack(row).includes(word)),
  );
  return filter.worstFirst ? kept.sort((a, b) => SEVERITY[a.tone] - SEVERITY[b.tone]) : kept;
}

/** The different values of a column with how many turns have each, the most frequent first. */
export function counted(rows: Row[], values: (row: Row) => string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of values(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
