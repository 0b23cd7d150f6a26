/** Determines the possible actions on a scan. */
import type { ScanAction, ScanStatus, SiteScanSummary } from '../types.ts';

const RUNNING_STATUSES: ReadonlySet<ScanStatus> = new Set([
  'queued',
  'discovering',
  'scanning',
  'optimizing',
  'packaging',
]);

/** Returns whether the scan is running or queued. */
export const isRunning = ({ status }: Pick<SiteScanSummary, 'status'>): boolean => RUNNING_STATUSES.has(status);

/** Returns whether pages can be selected. */
export const canSelect = ({ status }: Pick<SiteScanSummary, 'status'>): boolean =>
  status === 'review' || status === 'ready' || status === 'done';

export interface NextAction {
  action: Exclude<ScanAction, 'select'>;
  label: string;
  isPrimary: boolean;
}

type ScanState = Pick<SiteScanSummary, 'status'> & {
  totals: Pick<
    SiteScanSummary['totals'],
    'pages_selected' | 'pages_scanned' | 'pages_failed' | 'assets_failed' | 'assets_optimized'
  >;
};

/** Returns the possible actions, the most useful first. */
export function nextActions({ status, totals }: ScanState): NextAction[] {
  if (RUNNING_STATUSES.has(status)) return [{ action: 'cancel', label: 'Stop', isPrimary: false }];
  if (status === 'failed') return [{ action: 'retry', label: 'Try again', isPrimary: true }];
  if (status === 'cancelled') return [{ action: 'retry', label: 'Go on', isPrimary: true }];
  if (status === 'review')
    return [
      { action: 'start', label: `Scan ${pages(totals.pages_selected)}`, isPrimary: true },
      { action: 'cancel', label: 'Stop', isPrimary: false },
    ];
  const isReady = status === 'ready';
  const waiting = totals.pages_selected - totals.pages_scanned - totals.pages_failed;
  const failures = totals.pages_failed + totals.assets_failed;
  return [
    { action: 'optimize', label: isReady ? 'Convert the images' : 'Convert what is left', isPrimary: isReady },
    ...(waiting > 0 ? [{ action: 'start', label: `Scan ${pages(waiting)} more`, isPrimary: false } as const] : []),
    ...(failures > 0 ? [{ action: 'retry', label: 'Try failures again', isPrimary: false } as const] : []),
    ...(totals.assets_optimized > 0
      ? [{ action: 'package', label: 'Rebuild the package', isPrimary: false } as const]
      : []),
  ];
}

const pages = (count: number): string => (count === 1 ? '1 page' : `${count.toLocaleString('en')} pages`);
