export interface FactsProps {
  /** Pairs of name and value; one without a value is left out. */
  facts: readonly (readonly [name: string, value: string | undefined])[];
}

/** Names and values, as many beside each other as there is room for. */
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
