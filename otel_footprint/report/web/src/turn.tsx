import { useEffect, useMemo, useState } from "preact/hooks";
import { AccountTable } from "./account";
import type { Detail, Lit, Row } from "./data";
import { litBy, type Spans, spansOf } from "./evidence";
import { Findings, Unchecked } from "./findings";
import { Facts, Said, Section, Tone } from "./parts";
import { Programs } from "./programs";
import type { Source } from "./source";
import { Timeline } from "./timeline";
import { clock, duration, many, plain, STANDINGS } from "./words";

interface Props {
  row: Row;
  source: Source;
  /** Nested turns by `trace/span` of the call or the turn that they run inside. */
  inside: Map<string, Row[]>;
  /** Everything is unfolded, as on paper. */
  whole?: boolean;
  choose: (key: string) => void;
}

export function TurnView({ row, source, inside, whole = false, choose }: Props) {
  const detail = useDetail(source, row);
  const [lit, setLit] = useState<Lit | null>(null);
  useEffect(() => {
    const clear = (event: KeyboardEvent) => {
      if (event.key === "Escape") setLit(null);
    };
    addEventListener("keydown", clear);
    return () => removeEventListener("keydown", clear);
  }, []);
  const spans = useMemo(() => (detail === null ? null : spansOf(row, detail)), [row, detail]);
  const litSpans = useMemo(() => (lit === null || detail === null ? NONE : litBy(lit, detail)), [lit, detail]);
  return (
    <article class={`turn ${row.tone}`} aria-label={`Turn: ${row.about}`}>
      <Heading row={row} detail={detail} lit={litSpans.has(row.span_id)} />
      {detail === null || spans === null ? (
        <p class="waiting" role="status">
          Loading …
        </p>
      ) : (
        <Body {...{ row, detail, spans, lit, litSpans, inside, whole, choose }} onLight={setLit} />
      )}
    </article>
  );
}

const NONE: ReadonlySet<string> = new Set();

function useDetail(source: Source, row: Row): Detail | null {
  const found = useMemo(() => source.detail(row), [source, row]);
  const [fetched, setFetched] = useState<Detail | null>(null);
  useEffect(() => {
    if (!(found instanceof Promise)) return;
    let isWanted = true;
    // A failed request leaves what is shown; the next poll says that the server is gone.
    found.then((detail) => isWanted && setFetched(detail)).catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [found]);
  return found instanceof Promise ? fetched : found;
}

function Heading({ row, detail, lit }: { row: Row; detail: Detail | null; lit: boolean }) {
  const whose = [
    row.turn === null ? "" : `turn ${row.turn}`,
    row.conversation === null ? "" : `conversation ${row.conversation}`,
    row.start === null ? "" : clock(row.start),
    row.duration === null ? "" : duration(row.duration),
  ];
  const doubts = row.tone === "ok" && row.reasons.length > 0;
  return (
    <div class={`heading${lit ? " lit" : ""}`} data-span={row.span_id} tabIndex={-1}>
      <h2>
        <Tone tone={row.tone} /> <Said>{row.about}</Said>
        {doubts ? (
          <span class="doubts"> {many(row.reasons.length, "reason")} not to be sure of the answer.</span>
        ) : null}
      </h2>
      <p class="whose">
        <strong>
          <Said>{row.agent ?? "unnamed agent"}</Said>
        </strong>
        {whose.filter(Boolean).map((part) => (
          <span key={part}>
            {" · "}
            <Said>{part}</Said>
          </span>
        ))}
        {row.standing === null ? null : (
          <>
            {" · "}
            <span class={`standing ${row.standing}`}>answer: {STANDINGS[row.standing] ?? row.standing}</span>
          </>
        )}
      </p>
      {detail?.incomplete.length ? (
        <p class="incomplete">The record of this turn is incomplete: {detail.incomplete.map(plain).join(", ")}.</p>
      ) : null}
    </div>
  );
}

interface BodyProps extends Required<Omit<Props, "source">> {
  detail: Detail;
  spans: Spans;
  lit: Lit | null;
  litSpans: ReadonlySet<string>;
  onLight: (lit: Lit | null) => void;
}

function Body({ row, detail, spans, lit, litSpans, inside, whole, choose, onLight }: BodyProps) {
  const light = { whole, lit, onLight, spans };
  return (
    <>
      <div class="exchange">
        <Section title="Asked">
          <Text text={row.question} without="The question is not recorded." />
        </Section>
        <Section title="Answered">
          <Text
            text={row.answer}
            marks={detail.unsupported}
            without={detail.finished ? "The answer is not recorded." : "Not finished: no answer is recorded."}
          />
          {detail.unsupported.length > 0 ? (
            <p class="note">
              Marked: {many(detail.unsupported.length, "value")} that no tool result supports
              {detail.unsupported_capped ? ", and there may be more" : ""}.
            </p>
          ) : null}
        </Section>
      </div>
      <Findings detail={detail} {...light} />
      <Unchecked detail={detail} {...light} />
      <Timeline {...{ row, detail, litSpans, inside, whole, choose }} />
      <Programs detail={detail} {...light} />
      <AccountTable account={detail.account} {...light} />
      <Section title="This record">
        <Facts
          of={[
            ["trace", <code key="trace">{row.trace_id}</code>],
            ["span", <code key="span">{row.span_id}</code>],
            ["span's name", <Said key="name">{detail.name}</Said>],
            ["stands in", detail.stand_in ? "yes: no turn span is recorded" : null],
            ["nested in", row.nested_in && <Nested row={row} choose={choose} />],
            ["revision", detail.revision > 1 ? String(detail.revision) : null],
            ["notes", detail.notes.join(" ")],
            ["schema", `${detail.schema}, wording ${detail.wording}`],
          ]}
        />
      </Section>
    </>
  );
}

function Nested({ row, choose }: { row: Row; choose: (key: string) => void }) {
  return (
    <button type="button" class="plain" onClick={() => choose(`${row.trace_id}/${row.nested_in}`)}>
      <code>{row.nested_in}</code>
    </button>
  );
}

function Text({ text, marks = [], without }: { text: string | null; marks?: string[]; without: string }) {
  if (text === null) return <p class="absent">{without}</p>;
  return (
    <p class="said" dir="auto">
      {marked(text, marks).map(([piece, isMarked], index) => (isMarked ? <mark key={index}>{piece}</mark> : piece))}
    </p>
  );
}

const escaped = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A text in pieces, those that are one of the values apart. A value inside a longer word or number is none. */
function marked(text: string, values: string[]): [string, boolean][] {
  if (values.length === 0) return [[text, false]];
  const longestFirst = values.toSorted((a, b) => b.length - a.length).map(escaped);
  return text
    .split(new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "u"))
    .map((piece, index) => [piece, index % 2 === 1]);
}
