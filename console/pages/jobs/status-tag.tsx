import { Tag } from '../../ui/feedback.tsx';
import type { JobStatus } from './job-state.ts';

const KINDS = { queued: 'info', running: 'info', done: 'success', failed: 'error', cancelled: 'warning' } as const;

export function StatusTag({ status }: { status: JobStatus }) {
  return <Tag kind={KINDS[status]}>{status}</Tag>;
}

/** By status of a webhook's delivery. */
export const WEBHOOK_KINDS = { pending: 'info', delivered: 'success', failed: 'error', stopped: 'warning' } as const;
