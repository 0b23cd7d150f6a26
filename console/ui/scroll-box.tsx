import type { ComponentChildren } from 'preact';

export interface ScrollsProps {
  /** Describes the content for screen readers. */
  label: string;
  children: ComponentChildren;
}

/**
 * Wraps content that may be wider than the page. It scrolls on its own, and is focusable so that the keyboard can
 * scroll it.
 */
export function ScrollBox({ label, children }: ScrollsProps) {
  return (
    <section class="scrolls" tabindex={0} aria-label={label}>
      {children}
    </section>
  );
}
