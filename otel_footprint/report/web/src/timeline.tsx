import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Call, type Detail, keyOf, type ModelCall, type Row, type Script } from "./data";
import { Facts, More, Said, Section, Tone } from "./parts";
import { ProgramFacts } from "./programs";
import { cameBack, duration, many, plain } from "./words";

/** Rows that are drawn at first. */
const STEP = 200;
/** Steps of the axis, at most. */
const TICKS = 3;

interface Props {
  row: Row;
  detail: Detail;
  litSpans: ReadonlySet<string>;
  inside: Map<string, Row[]>;
  whole: boolean;
  choose: (key: string) => void;
}

interface Item {
  key: string;
  kind: "model" | "tool" | "program";
  name: string;
  span: string | null;
  start: number | null;
  end: number | null;
  /** How it ended, where that is worth a word. */
  ended: string;
  isBad: boolean;
  call?: Call;
  model?: ModelCall;
  script?: Script | undefined;
}

export function Timeline({ row, detail, litSpans, inside, whole, choose }: Props) {
  const items = useMemo(() => itemsOf(detail), [detail]);
  const scale = useMemo(() => scaleOf(row, items), [row, items]);
  const [limit, setLimit] = useState(STEP);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const first = items.findIndex((item) => item.span !== null && litSpans.has(item.span));
    if (first >= limit) setLimit(Math.ceil((first + 1) / STEP) * STEP);
    else if (first >= 0) list.current?.querySelector(".lit")?.scrollIntoView({ block: "nearest" });
  }, [litSpans, items, limit]);
  const lit = items.filter((item) => item.span !== null && litSpans.has(item.span));
  return (
    <Section
      title="Timeline"
      note={`${recorded(detail.models.length + detail.models_omitted, "model call")}, ${recorded(detail.calls.length + detail.calls_omitted, "tool call")}`}
    >
      <p class="unseen" role="status">
        {lit.length > 0 ? `Highlighted: ${lit.map((item) => `${item.kind} ${item.name}`).join(", ")}` : ""}
      </p>
      {items.length === 0 ? <p class="absent">No model call and no tool call is recorded.</p> : null}
      {scale === null || items.length === 0 ? null : (
        <div class="axis" aria-hidden="true">
          {scale.ticks.map((tick) => (
            <span key={tick} class={scale.at(tick) < 88 ? "" : "last"} style={{ left: `${scale.at(tick)}%` }}>
              {duration(tick)}
            </span>
          ))}
        </div>
      )}
      <ol class="timeline" ref={list}>
        {items.slice(0, whole ? items.length : limit).map((item) => (
          <TimelineRow
            key={item.key}
            item={item}
            scale={scale}
            isLit={item.span !== null && litSpans.has(item.span)}
            nested={inside.get(`${row.trace_id}/${item.span}`) ?? NO_ROWS}
            whole={whole}
            choose={choose}
          />
        ))}
      </ol>
      {items.length > limit && !whole ? (
        <button type="button" class="show-more" onClick={() => setLimit(limit + STEP)}>
          Show {Math.min(STEP, items.length - limit)} of {many(items.length - limit, "more row")}
        </button>
      ) : null}
      <More count={detail.calls_omitted} noun="tool calls" />
      <More count={detail.models_omitted} noun="model calls" />
    </Section>
  );
}

/** None on the record is not none at all. */
const recorded = (count: number, noun: string): string => (count === 0 ? `no ${noun} recorded` : many(count, noun));

const NO_ROWS: Row[] = [];

interface RowProps {
  item: Item;
  scale: Scale | null;
  isLit: boolean;
  nested: Row[];
  whole: boolean;
  choose: (key: string) => void;
}

function TimelineRow({ item, scale, isLit, nested, whole, choose }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const took = item.start !== null && item.end !== null ? duration(item.end - item.start) : "";
  return (
    <li class={`item ${item.kind}${item.isBad ? " bad" : ""}${isLit ? " lit" : ""}`}>
      <button type="button" data-span={item.span} aria-expanded={isOpen || whole} onClick={() => setOpen(!isOpen)}>
        <span class="kind">{item.kind}</span>
        <span class="name">
          <Said>{item.name}</Said>
          {nested.length > 0 ? <span class="badge">{many(nested.length, "nested turn")}</span> : null}
        </span>
        <span class="ended">
          <Said>{item.ended}</Said>
        </span>
        <Bar item={item} scale={scale} />
        <span class="took">{took}</span>
      </button>
      {isOpen || whole ? <ItemFacts item={item} nested={nested} choose={choose} /> : null}
    </li>
  );
}

function Bar({ item, scale }: { item: Item; scale: Scale | null }) {
  if (scale === null || item.start === null) return <span class="lane absent">time not recorded</span>;
  const left = scale.at(item.start);
  const width = item.end === null ? 0 : Math.max(scale.at(item.end) - left, 0);
  return (
    <span class="lane" aria-hidden="true">
      <span class={`bar${item.end === null ? " open" : ""}`} style={{ left: `${left}%`, width: `${width}%` }} />
    </span>
  );
}

function ItemFacts({ item, nested, choose }: { item: Item; nested: Row[]; choose: (key: string) => void }) {
  const { call, script } = item;
  return (
    <div class="item-facts">
      <Facts
        of={[
          ["outcome", call ? plain(call.outcome) : item.isBad ? "failed" : null],
          ["came back", call ? cameBack(call) || (call.result_recorded ? "a result" : null) : null],
          ["result's shape", call?.undeclared_shape ? "no declaration says where its rows are" : null],
          ["rows not read", call?.rows_unread ?? null],
          ["asked for by", call?.iteration ? `model call ${call.iteration}` : null],
          ["began", item.start === null ? null : `${duration(item.start)} after the turn`],
          ["call id", call?.call_id ? <code>{call.call_id}</code> : null],
          ["notes", call?.notes.map(plain).join(", ") ?? null],
          ["span", item.span === null ? "none of its own" : <code>{item.span}</code>],
        ]}
      />
      {script ? <ProgramFacts script={script} /> : null}
      {nested.map((row) => (
        <p key={keyOf(row)} class="nested-turn">
          Nested turn: <Tone tone={row.tone} />{" "}
          <button type="button" class="plain" onClick={() => choose(keyOf(row))}>
            <Said>{row.about}</Said>
          </button>
        </p>
      ))}
    </div>
  );
}

function itemsOf(detail: Detail): Item[] {
  const models = detail.models.map((model, index): Item => {
    return {
      key: `model-${index}`,
      kind: "model",
      name: model.model ?? "unnamed model",
      span: model.span_id,
      start: model.start,
      end: model.end,
      ended: model.failed ? "failed" : "",
      isBad: model.failed,
      model,
    };
  });
  const waiting = [...detail.scripts];
  const calls = detail.calls.map((call, index): Item => {
    const at = waiting.findIndex((script) => isOf(script, call));
    const script = at < 0 ? undefined : waiting.splice(at, 1)[0];
    const words = [script ? withoutTool(script) : call.outcome === "ran" ? "" : plain(call.outcome), cameBack(call)];
    return {
      key: `call-${index}`,
      kind: call.code_run ? "program" : "tool",
      name: call.tool ?? "unnamed tool",
      span: call.span_id,
      start: call.span_id === null ? null : call.start,
      end: call.end,
      ended: words.filter(Boolean).join("; "),
      isBad: call.outcome === "failed" || script?.outcome === "completed-with-failure",
      call,
      script,
    };
  });
  return [...models, ...calls].sort((a, b) => (a.start ?? Infinity) - (b.start ?? Infinity) || 0);
}

/** Whether a script row is that of a call: by its span, else by the provider's id. */
function isOf(script: Script, call: Call): boolean {
  if (script.tool !== (call.tool ?? script.tool)) return false;
  if (call.span_id !== null) return script.span_id === call.span_id;
  return script.call_id !== null && script.call_id === call.call_id;
}

/** The sentence of a script row beside its tool's name: every one is `TOOL: words`, and no words hold a colon. */
const withoutTool = (script: Script): string => script.about.slice(script.about.lastIndexOf(": ") + 1).trim();

interface Scale {
  /** Where a time is, in per cent of the lane. */
  at: (time: number) => number;
  ticks: number[];
}

/** From the first thing to the last; `null` when no time is recorded. A clock that went back makes it longer. */
function scaleOf(row: Row, items: Item[]): Scale | null {
  const times = items.flatMap((item) => [item.start, item.end]).filter((time) => time !== null);
  if (row.start !== null) times.push(0);
  if (row.duration !== null) times.push(row.duration);
  if (times.length === 0) return null;
  let [first, last] = [times[0] ?? 0, times[0] ?? 0];
  for (const time of times) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  const span = last - first || 1;
  const step = niceStep(span / TICKS);
  const from = Math.ceil(first / step);
  const ticks = Array.from({ length: Math.floor(last / step) - from + 1 }, (_, index) => (from + index) * step);
  return { at: (time) => ((time - first) / span) * 100, ticks };
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}
