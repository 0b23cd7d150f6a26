export interface FactsProps {
  /** Pairs of name and value. A pair without a value is omitted. */
  facts: readonly (readonly [name: string, value: string | undefined])[];
}

/** Lists names and values in as many columns as fit. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="site-facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
