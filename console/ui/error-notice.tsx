import type { ComponentChildren } from 'preact';
import { ImagecrewError } from '../../client/errors.ts';
import { hintFor } from './advice.ts';
import { Notice } from './feedback.tsx';

/** Shows an error and what to do about it. */
export function ErrorNotice({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const advice = error instanceof ImagecrewError ? hintFor(error.code) : undefined;
  return (
    <Notice error={error}>
      {children}
      {advice && (
        <p>
          {advice.text} {advice.command && <code>{advice.command}</code>}
        </p>
      )}
    </Notice>
  );
}
