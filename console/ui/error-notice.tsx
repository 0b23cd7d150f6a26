import type { ComponentChildren } from 'preact';
import { ImagecrewError } from '../../client/errors.ts';
import { Notice } from './feedback.tsx';
import { operatorCommand } from './operator-commands.ts';

/** Shows an error and, where one helps, the command for the operator. */
export function ErrorNotice({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const command = error instanceof ImagecrewError ? operatorCommand(error.code) : undefined;
  return (
    <Notice error={error}>
      {children}
      {command && (
        <p>
          Command for the operator: <code>{command}</code>
        </p>
      )}
    </Notice>
  );
}
