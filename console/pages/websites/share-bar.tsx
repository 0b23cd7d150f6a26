import type { ComponentChildren } from 'preact';

export interface Share {
  label: string;
  value: number;
  /** Formatted value. */
  text: string;
  /** Colour in the style sheet. */
  tone: 'stays' | 'saved' | 'good' | 'bad' | 'waits' | 'error' | 'warning' | 'notice' | 'info';
  href?: string;
}

/** Shows parts of a whole as a bar, with a legend below. */
export function ShareBar({ label, shares, most }: { label: string; shares: readonly Share[]; most?: number }) {
  const sum = shares.reduce((total, { value }) => total + value, 0);
  return (
    <figure class="share-bar" aria-label={label}>
      <Bar shares={shares} whole={Math.max(1, most ?? sum)} />
      <ul>
        {shares.map((share) => (
          <li key={share.label}>
            <i class={`tone-${share.tone}`} aria-hidden="true" />
            <Linked href={share.href}>
              {share.text} {share.label}
            </Linked>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** A bar without a legend, for places where a text beside it gives the numbers. */
function Bar({ shares, whole }: { shares: readonly Pick<Share, 'tone' | 'value'>[]; whole: number }) {
  return (
    <div class="lengths" aria-hidden="true">
      {shares
        .filter(({ value }) => value > 0)
        .map(({ tone, value }) => (
          <span key={tone} class={`tone-${tone}`} style={{ width: `${(100 * value) / whole}%` }} />
        ))}
    </div>
  );
}

/** The bytes that stay and those that are saved, as parts of a bar. */
export function SavedBar({ whole, stays, saved }: { whole: number; stays: number; saved: number }) {
  return (
    <Bar
      whole={whole}
      shares={[
        { tone: 'stays', value: stays },
        { tone: 'saved', value: saved },
      ]}
    />
  );
}

function Linked({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  return href === undefined ? <span>{children}</span> : <a href={href}>{children}</a>;
}
