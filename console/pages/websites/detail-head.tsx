import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The heading of one page or image. It takes the focus, because the link that opened it is gone. */
export function DetailHead({ title, back, url }: { title: string; back: ComponentChildren; url: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current!.focus({ preventScroll: true }), []);
  const isAddress = /^https?:/.test(url);
  return (
    <header class="detail-head">
      {back}
      <h2 ref={heading} tabindex={-1}>
        {title}
      </h2>
      {isAddress ? (
        <a href={url} target="_blank" rel="noreferrer" class="web-address">
          {url}
        </a>
      ) : (
        <span class="help">{url.slice(0, 80)}</span>
      )}
    </header>
  );
}
