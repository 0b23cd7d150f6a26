import type { ComponentChildren } from 'preact';
import { ImagecrewError } from '../../client/errors.ts';
import { Notice } from './feedback.tsx';

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

/** By error code, the command with which the operator of the service removes the cause. */
const COMMANDS: Readonly<Record<string, string>> = {
  scope_required: 'imagecrew admin key create --account default --scopes ai',
  model_unavailable: 'imagecrew models pull',
  upgrade_required: 'imagecrew admin account update --account default --plan pro',
};

const operatorCommand = (code: string): string | undefined => COMMANDS[code];
