import { useState } from "preact/hooks";
import type { Head, Problem, Row } from "./data";
import { Tone } from "./parts";
import { many, TONES } from "./words";

export function Header({ rows, head }: { rows: Row[]; head: Head }) {
  const tones = TONES.map((tone) => [tone, rows.filter((row) => row.tone === tone).length] as const);
  return (
    <header>
      <button type="button" class="skip" onClick={() => document.getElementById("turn")?.focus()}>
        Go to the turn
      </button>
      <h1>otel-footprint</h1>
      <p class="totals">
        {many(rows.length, "turn")} in {many(head.spans, "span")}
        {tones.map(([tone, count]) =>
          count === 0 ? null : (
            <span key={tone}>
              <Tone tone={tone} /> {count.toLocaleString("en")}
            </span>
          ),
        )}
        {head.live ? <span class="live">live</span> : null}
      </p>
      <Theme />
    </header>
  );
}

function Theme() {
  const [theme, setTheme] = useState("system");
  const change = (next: string) => {
    setTheme(next);
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
  };
  return (
    <label class="theme">
      Theme{" "}
      <select value={theme} onChange={(event) => change(event.currentTarget.value)}>
        <option value="system">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}

export function Problems({ problems, error }: { problems: Problem[]; error: string | null }) {
  const lost = problems.filter((problem) => problem.lost).length;
  return (
    <>
      <p class="error" role="status">
        {error}
      </p>
      {problems.length === 0 ? null : (
        <details class="problems" open={lost > 0}>
          <summary>
            {lost > 0 ? `Some of the input could not be read: ${many(lost, "problem")}` : many(problems.length, "note")}
          </summary>
          <ul>
            {problems.map((problem) => (
              <li key={problem.about}>{problem.about}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
