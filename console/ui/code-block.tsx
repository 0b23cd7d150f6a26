import { useRef, useState } from 'preact/hooks';
import { copyElementText, copyMessage } from './copy-text.ts';

/** A text with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    setSaid(copyMessage(await copyElementText(code.current!)));
    setTimeout(() => setSaid(''), 2000);
  };
  return (
    <figure class="code-block" aria-label={label}>
      {/* Focusable, so that the keyboard can scroll it. */}
      <pre tabindex={0}>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {said || 'Copy'}
      </button>
      <span class="hidden" role="status">
        {said}
      </span>
    </figure>
  );
}
