import type { ComponentChildren } from 'preact';
import { ImagecrewError } from '../../../../client/errors.ts';
import { adviceOn } from './advice.ts';
import { Notice } from './feedback.tsx';

/** Shows an error and what to do about it. */
export function Refusal({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const advice = error instanceof ImagecrewError ? adviceOn(error.code) : undefined;
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
