/** The states of a scan and what its owner may do in each (spec/shapes.md, section 17.2). */
import type { ScanStatus } from '../../storage/schema.ts';

export const ACTIONS = ['select', 'start', 'cancel', 'retry', 'optimize', 'package'] as const;
export type Action = (typeof ACTIONS)[number];

/** `same`: it stays; `stopped`: back to the phase in which it was stopped. */
export type Target = ScanStatus | 'same' | 'stopped';

/** By action, then by the status that it begins from. Any other pair is refused. */
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

/** Nothing more happens to such a scan until its owner acts. */
export const ENDED: ReadonlySet<ScanStatus> = new Set(['done', 'failed', 'cancelled']);

/** The runner is at it, or will be. */
export const AT_WORK: ReadonlySet<ScanStatus> = new Set([
  'queued',
  'discovering',
  'scanning',
  'optimizing',
  'packaging',
]);
