/** Notices, progress and tags. */
import type { ComponentChildren } from 'preact';
import { ImagecrewError } from '../../client/errors.ts';
import type { NoticeKind } from './notice-kind.ts';

export interface NoticeProps {
  kind?: NoticeKind;
  /** The error. If it is from the service, the service's own message and hint are shown. */
  error?: unknown;
  children?: ComponentChildren;
}

export function Notice({ error, kind = error === undefined ? 'info' : 'error', children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children && <div>{children}</div>}
      {error !== undefined && <ErrorText error={error} />}
    </div>
  );
}

/** The error of a record that the service keeps. */
export function Failure({ error: { message, code } }: { error: { message: string; code: string } }) {
  return (
    <Notice kind="error">
      {message} <code>{code}</code>
    </Notice>
  );
}

export function Warnings({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <Notice key={text} kind="warning">
          {text}
        </Notice>
      ))}
    </>
  );
}

function ErrorText({ error }: { error: unknown }) {
  if (!(error instanceof ImagecrewError)) {
    return <p>{error instanceof TypeError ? 'The service cannot be reached.' : String((error as Error).message)}</p>;
  }
  return (
    <p>
      {error.message} {error.hint} <code>{error.code}</code>
      {error.requestId && <small> {error.requestId}</small>}
    </p>
  );
}

export function Spinner({ label }: { label: string }) {
  return (
    <p class="spinner" role="status">
      <span aria-hidden="true" />
      {label} …
    </p>
  );
}

export interface ProgressProps {
  label: string;
  done: number;
  /** Undefined if unknown. */
  total: number | undefined;
}

export function Progress({ label, done, total }: ProgressProps) {
  return (
    <label class="progress">
      <span>
        {label} {total === undefined ? done : `${done} of ${total}`}
      </span>
      <progress {...(total === undefined ? {} : { value: done, max: Math.max(1, total) })} />
    </label>
  );
}

/** A short label, coloured by its meaning. */
export function Tag({ kind = 'info', children }: Pick<NoticeProps, 'kind' | 'children'>) {
  return <span class={`tag ${kind}`}>{children}</span>;
}
