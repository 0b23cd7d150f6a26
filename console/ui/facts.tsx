import type { ComponentChildren } from 'preact';

interface FactsProps {
  class: string;
  /** Pairs of name and value. A pair without a value is omitted. */
  facts: readonly (readonly [name: string, value: ComponentChildren])[];
}

/** Lists names and values. */
export function Facts({ class: name, facts }: FactsProps) {
  return (
    <dl class={name}>
      {facts.map(
        ([term, value]) =>
          value !== undefined && (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
