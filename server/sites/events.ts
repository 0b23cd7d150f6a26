/**
 * Events of scans. `changed`: the status or the settings were changed, by a request or by the scan itself; `progress`:
 * sent at most a few times a second; `page` and `asset`: the status of one has changed; `removed`: the scan was
 * deleted.
 */
export type ScanEvent =
  | { type: 'changed' | 'progress' | 'removed'; scanId: string }
  | { type: 'page' | 'asset'; scanId: string; seq: number };
