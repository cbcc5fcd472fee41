// Which spans of a turn a pointer means, and what they are called.

import type { Detail, Evidence, Lit, Row } from "./data";

/** What each span of the turn is called, by its id. */
export type Spans = ReadonlyMap<string, string>;

export function spansOf(row: Row, detail: Detail): Spans {
  const names = new Map([[row.span_id, "this turn's span"]]);
  detail.models.forEach((model, index) => {
    names.set(model.span_id, `model call ${index + 1}`);
  });
  detail.calls.forEach((call, index) => {
    if (call.span_id !== null) names.set(call.span_id, `call ${index + 1}, ${call.tool ?? "unnamed tool"}`);
  });
  return names;
}

/** The spans that are lit: where the evidence was read, and the call that the finding is about. */
export function litBy(lit: Lit, detail: Detail): ReadonlySet<string> {
  const spans = new Set(lit.evidence.map((one) => parts(one).span));
  // A call id may be there twice: then nothing tells which of the calls is meant.
  const calls = lit.call_id
    ? detail.calls.filter((call) => call.call_id === lit.call_id && call.tool === lit.tool)
    : [];
  const span = calls.length === 1 ? calls[0]?.span_id : undefined;
  if (span) spans.add(span);
  return spans;
}

/** A pointer's span, what of the span it means, and the path in that. */
export function parts(evidence: Evidence): { span: string; kind: string; path: string } {
  const [, span = "", kind = "", path = ""] = /^([^#]*)#(attribute|event|[^:]*):?(.*)$/s.exec(evidence) ?? [];
  return { span, kind, path };
}
