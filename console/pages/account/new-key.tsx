import { useEffect, useRef } from 'preact/hooks';
import { storeKey } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import type { Key } from './records.ts';

/** Shows a key that was just created. The service cannot show it again. */
export function NewKey({ created, onClose }: { created: Key & { key: string }; onClose(): void }) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current!.scrollIntoView({ block: 'nearest' }), [created.id]);
  return (
    <section ref={card} class="card new-key" aria-labelledby="new-key">
      <h3 id="new-key">The key “{created.name}” is made</h3>
      <p role="status">Copy it now: it is not stored and cannot be shown again.</p>
      <CodeBlock label="The new key" text={created.key} />
      <div class="row">
        <button
          type="button"
          onClick={() => {
            storeKey(created.key);
            onClose();
          }}
        >
          Use it here
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          I have it
        </button>
      </div>
    </section>
  );
}
