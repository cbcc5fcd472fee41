import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { keyOf, type Row, type Tone as ToneName } from "./data";
import { counted, type Filter, NO_FILTER } from "./filter";
import { Said, Tone } from "./parts";
import { clock, duration, many, plain, TONES } from "./words";

/** Turns that are drawn at first, and more with each press of the button below them. */
const STEP = 100;

interface Props {
  rows: Row[];
  shown: Row[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
  chosen: string | undefined;
  live: boolean;
}

export function TurnList({ rows, shown, filter, onFilter, chosen, live }: Props) {
  const [limit, setLimit] = useState(STEP);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => setLimit(STEP), [filter]);
  useEffect(() => {
    const toSearch = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", toSearch);
    return () => removeEventListener("keydown", toSearch);
  }, []);
  const drawn = shown.slice(0, limit);
  return (
    <nav aria-label="Turns">
      <search>
        <input
          ref={search}
          type="search"
          aria-label="Search the turns"
          aria-keyshortcuts="/"
          placeholder="Search: question, answer, tool, id …"
          value={filter.words}
          onInput={(event) => onFilter({ ...filter, words: event.currentTarget.value })}
        />
        <Filters rows={rows} filter={filter} onFilter={onFilter} />
        <p class="count" role="status">
          {shown.length === rows.length
            ? many(rows.length, "turn")
            : `${shown.length.toLocaleString("en")} of ${many(rows.length, "turn")}`}
          {filter === NO_FILTER || live ? null : (
            <button type="button" class="plain" onClick={() => onFilter(NO_FILTER)}>
              show all
            </button>
          )}
        </p>
      </search>
      <ol onKeyDown={walk}>
        {drawn.map((row) => (
          <li key={keyOf(row)} class={row.nested_in === null ? "" : "nested"}>
            <Card row={row} isChosen={keyOf(row) === chosen} />
          </li>
        ))}
      </ol>
      {shown.length > limit ? (
        <button type="button" class="show-more" onClick={() => setLimit(limit + STEP)}>
          Show {Math.min(STEP, shown.length - limit)} more
        </button>
      ) : null}
    </nav>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea");
}

/** The arrow keys, Home and End go from turn to turn. */
function walk(event: KeyboardEvent) {
  const links = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("a")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  links[to]?.focus();
}

function Card({ row, isChosen }: { row: Row; isChosen: boolean }) {
  const whose = [row.turn === null ? "" : `turn ${row.turn}`, row.duration === null ? "" : duration(row.duration)];
  const did = [
    many(row.calls, "call"),
    row.failed > 0 ? `${row.failed} failed` : "",
    row.programs > 0 ? many(row.programs, "program") : "",
    row.reasons.length > 0 ? many(row.reasons.length, "reason") : "",
    row.incomplete ? "incomplete" : "",
  ];
  return (
    <a href={`#${keyOf(row)}`} aria-current={isChosen ? "true" : undefined}>
      <span class="card-head">
        <Tone tone={row.tone} />
        <span class="when">{row.start === null ? "" : clock(row.start).slice(0, -4)}</span>
      </span>
      <span class="card-about">
        <Said>{row.about}</Said>
      </span>
      <span class="card-meta">
        <Said>{row.agent ?? "unnamed agent"}</Said>
        {[...whose, ...did].filter(Boolean).map((part) => (
          <span key={part}> · {part}</span>
        ))}
      </span>
    </a>
  );
}

function Filters({ rows, filter, onFilter }: Pick<Props, "rows" | "filter" | "onFilter">) {
  const findings = useMemo(() => counted(rows, (row) => [...row.signals, ...row.reasons]), [rows]);
  const outcomes = useMemo(() => counted(rows, (row) => row.outcomes), [rows]);
  const agents = useMemo(() => counted(rows, (row) => (row.agent === null ? [] : [row.agent])), [rows]);
  const tones = useMemo(() => new Map(counted(rows, (row) => [row.tone])), [rows]);
  const toggle = (tone: ToneName) => {
    const next = new Set(filter.tones);
    if (!next.delete(tone)) next.add(tone);
    onFilter({ ...filter, tones: next });
  };
  return (
    <>
      <fieldset class="tones">
        <legend class="unseen">Tone</legend>
        {TONES.map((tone) => (
          <button
            key={tone}
            type="button"
            aria-pressed={filter.tones.has(tone)}
            disabled={!tones.has(tone)}
            onClick={() => toggle(tone)}
          >
            <Tone tone={tone} /> {(tones.get(tone) ?? 0).toLocaleString("en")}
          </button>
        ))}
      </fieldset>
      <div class="picks">
        <Pick
          title="Finding"
          of={findings}
          value={filter.finding}
          onPick={(finding) => onFilter({ ...filter, finding })}
        />
        <Pick
          title="Program"
          of={outcomes}
          value={filter.outcome}
          onPick={(outcome) => onFilter({ ...filter, outcome })}
        />
        <Pick title="Agent" of={agents} value={filter.agent} asIs onPick={(agent) => onFilter({ ...filter, agent })} />
        <label>
          Order
          <select
            value={filter.worstFirst ? "worst" : "time"}
            onChange={(event) => onFilter({ ...filter, worstFirst: event.currentTarget.value === "worst" })}
          >
            <option value="time">by time</option>
            <option value="worst">worst first</option>
          </select>
        </label>
      </div>
    </>
  );
}

interface PickProps {
  title: string;
  of: [string, number][];
  value: string;
  asIs?: boolean;
  onPick: (value: string) => void;
}

function Pick({ title, of, value, asIs, onPick }: PickProps) {
  return (
    <label>
      {title}
      <select value={value} disabled={of.length === 0} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">any</option>
        {of.map(([one, count]) => (
          <option key={one} value={one}>
            {asIs ? one : plain(one)} ({count})
          </option>
        ))}
      </select>
    </label>
  );
}
