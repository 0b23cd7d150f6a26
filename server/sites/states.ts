/** The states of a scan and the actions that its owner may take in each (docs/spec/shapes.md, section 17.2). */
import type { ScanStatus } from '../../storage/records/site-scans.ts';

export const ACTIONS = ['select', 'start', 'cancel', 'retry', 'optimize', 'package'] as const;
export type Action = (typeof ACTIONS)[number];

/** `same`: the status stays; `stopped`: back to the phase in which the scan was stopped. */
export type Target = ScanStatus | 'same' | 'stopped';

/** The next status by action and present status. All other pairs are refused. */
export const TRANSITIONS: Readonly<Record<Action, Readonly<Partial<Record<ScanStatus, Target>>>>> = {
  select: { review: 'same', ready: 'same', done: 'same' },
  start: { review: 'scanning', ready: 'scanning', done: 'scanning' },
  cancel: {
    queued: 'cancelled',
    discovering: 'cancelled',
    review: 'cancelled',
    scanning: 'cancelled',
    ready: 'cancelled',
    optimizing: 'cancelled',
    packaging: 'cancelled',
  },
  retry: { failed: 'stopped', cancelled: 'stopped', ready: 'scanning', done: 'scanning' },
  optimize: { ready: 'optimizing', done: 'optimizing' },
  package: { ready: 'packaging', done: 'packaging' },
};

/** Statuses in which the runner works on a scan or will do so. */
export const RUNNING_STATUSES: ReadonlySet<ScanStatus> = new Set([
  'queued',
  'discovering',
  'scanning',
  'optimizing',
  'packaging',
]);
