import type { Detail, Evidence, Lit } from "./data";
import { parts, type Spans } from "./evidence";
import { More, Said, Section } from "./parts";
import { CHECKS, many, plain } from "./words";

export interface Light {
  /** Everything is unfolded, as on paper. */
  whole: boolean;
  lit: Lit | null;
  onLight: (lit: Lit | null) => void;
  spans: Spans;
}

/** What was found: the signals, worst first, then the reasons not to be sure of the answer. */
export function Findings({ detail, ...light }: { detail: Detail } & Light) {
  const nothing = detail.signals.length === 0 && detail.reasons.length === 0;
  return (
    <Section title="Found">
      {nothing ? (
        <p class="absent">
          {detail.checks.reachable.length > 0
            ? "Nothing, in the checks that ran."
            : "Nothing: no check ran, so this says nothing of the turn."}
        </p>
      ) : null}
      <ul class="findings">
        {detail.signals.map((signal, index) => (
          <Finding
            key={`signal-${index}`}
            name={`signal-${index}`}
            kind={`signal · ${plain(signal.id)}`}
            {...signal}
            {...light}
          />
        ))}
        {detail.reasons.map((reason, index) => (
          <Finding
            key={`reason-${index}`}
            name={`reason-${index}`}
            tone="warn"
            about={reason.about}
            kind={`reason · ${plain(reason.reason)}`}
            evidence={reason.evidence}
            {...light}
          />
        ))}
      </ul>
      <More count={detail.signals_omitted} noun={detail.signals_omitted === 1 ? "signal" : "signals"} />
    </Section>
  );
}

/** What could not be checked, each with what to switch on for it. */
export function Unchecked({ detail, ...light }: { detail: Detail } & Light) {
  const { reachable, unreachable, not_applicable } = detail.checks;
  return (
    <Section title="Checks">
      <ul class="checks">
        {reachable.map((check) => (
          <li key={check} class="ran">
            <span aria-hidden="true">✓ </span>
            {CHECKS[check] ?? check}: ran
          </li>
        ))}
        {unreachable.map((check) => (
          <li key={check} class="unrun">
            <span aria-hidden="true">? </span>
            {CHECKS[check] ?? check}: could not be run
          </li>
        ))}
        {not_applicable.map((check) => (
          <li key={check} class="na">
            <span aria-hidden="true">– </span>
            {CHECKS[check] ?? check}: does not apply
          </li>
        ))}
      </ul>
      {detail.unreached.length > 0 ? <h4>What could not be checked, and what to switch on for it</h4> : null}
      <ul class="findings">
        {detail.unreached.map((line, index) => (
          <Finding
            key={`unreached-${index}`}
            name={`unreached-${index}`}
            tone="unknown"
            kind={`${CHECKS[line.check] ?? line.check} · ${plain(line.missing)}`}
            {...line}
            {...light}
          />
        ))}
      </ul>
      <More count={detail.lines_omitted} noun="of these" />
      {detail.not_evaluated.length > 0 ? (
        <details class="quiet" open={light.whole}>
          <summary>{many(detail.not_evaluated.length, "reason")} that nothing on this record could show</summary>
          <p>{detail.not_evaluated.map(plain).join(", ")}</p>
        </details>
      ) : null}
    </Section>
  );
}

interface FindingProps extends Light {
  name: string;
  tone: "bad" | "warn" | "unknown";
  about: string;
  kind: string;
  evidence: Evidence[];
  call_id?: string | null;
  tool?: string | null;
  enable?: string | null;
}

function Finding({
  name,
  tone,
  about,
  kind,
  evidence,
  call_id,
  tool,
  enable,
  whole,
  lit,
  onLight,
  spans,
}: FindingProps) {
  const isLit = lit?.key === name;
  const light = () => onLight(isLit ? null : { key: name, evidence, call_id: call_id ?? null, tool: tool ?? null });
  return (
    <li class={`finding ${tone}${isLit ? " lit" : ""}`}>
      <button type="button" aria-expanded={isLit || whole} onClick={light}>
        <span class="mark" aria-hidden="true">
          {{ bad: "✕", warn: "!", unknown: "?" }[tone]}
        </span>
        <span class="about">
          <Said>{about}</Said>
          <small>{kind}</small>
        </span>
        <span class="hint">{isLit ? "hide evidence" : "show evidence"}</span>
      </button>
      {enable ? (
        <p class="enable">
          Switch on: <code>{enable}</code>
        </p>
      ) : null}
      {isLit || whole ? <EvidenceList evidence={evidence} spans={spans} /> : null}
    </li>
  );
}

export function EvidenceList({ evidence, spans }: { evidence: Evidence[]; spans: Spans }) {
  if (evidence.length === 0) return <p class="evidence absent">No place on the record is named for this.</p>;
  return (
    <ul class="evidence" aria-label="Evidence">
      {evidence.map((one) => {
        const { span, kind, path } = parts(one);
        const name = spans.get(span);
        return (
          <li key={one}>
            {name === undefined ? (
              <>
                span <code>{span}</code>
              </>
            ) : (
              <button type="button" class="plain" onClick={() => goTo(span)}>
                <Said>{name}</Said>
              </button>
            )}
            {" · "}
            {kind} {path ? <code>{path}</code> : null}
          </li>
        );
      })}
    </ul>
  );
}

/** Bring a span's row on the timeline into view and let the keyboard go on from there. */
function goTo(span: string) {
  const row = [...document.querySelectorAll<HTMLElement>("[data-span]")].find((one) => one.dataset.span === span);
  row?.scrollIntoView({ block: "center" });
  row?.focus({ preventScroll: true });
}
