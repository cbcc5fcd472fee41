// Small pieces that several views are made of.

import type { ComponentChildren } from "preact";
import type { Tone as ToneName } from "./data";
import { TONE_MARK } from "./words";

export function Tone({ tone }: { tone: ToneName }) {
  return (
    <span class={`tone ${tone}`}>
      <span aria-hidden="true">{TONE_MARK[tone]}</span> {tone}
    </span>
  );
}

/** Text of a trace. It is isolated, so that a direction it sets ends with it. */
export function Said({ children }: { children: string }) {
  return <bdi>{children}</bdi>;
}

export function Section({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) {
  return (
    <section>
      <h3>
        {title}
        {note ? <small> {note}</small> : null}
      </h3>
      {children}
    </section>
  );
}

/** A list of names and values; a value that is null or empty is left out with its name. */
export function Facts({ of }: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {of.map(([title, value]) =>
        value === null || value === "" ? null : (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function More({ count, noun }: { count: number; noun: string }) {
  return count > 0 ? (
    <p class="more">
      and {count.toLocaleString("en")} more {noun}, counted and not listed
    </p>
  ) : null;
}
