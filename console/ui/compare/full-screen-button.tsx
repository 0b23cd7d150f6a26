import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Renders nothing if the browser cannot show an element in full screen. */
export function FullScreenButton({ element }: { element: RefObject<HTMLElement | null> }) {
  const [isFull, setIsFull] = useState(false);
  useEffect(() => {
    const changed = () => setIsFull(document.fullscreenElement === element.current);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, []);
  if (!document.fullscreenEnabled) return null;
  const toggle = () => (isFull ? document.exitFullscreen() : element.current!.requestFullscreen());
  return (
    <button type="button" aria-label="Full screen" title="Full screen" aria-pressed={isFull} onClick={toggle}>
      <svg
        width="18"
        height="18"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        aria-hidden="true"
      >
        <path d={isFull ? 'M2 7h5V2M16 7h-5V2M2 11h5v5M16 11h-5v5' : 'M2 7V2h5M16 7V2h-5M2 11v5h5M16 11v5h-5'} />
      </svg>
    </button>
  );
}
