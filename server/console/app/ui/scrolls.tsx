import type { ComponentChildren } from 'preact';

export interface ScrollsProps {
  /** What is in it, for screen readers. */
  label: string;
  children: ComponentChildren;
}

/** What may be wider than the page and then scrolls by itself, also by the keyboard, which must reach it for that. */
export function Scrolls({ label, children }: ScrollsProps) {
  return (
    <section class="scrolls" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}
