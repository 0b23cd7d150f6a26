/**
 * What happens to scans. `changed`: its status or its settings, by whoever; `progress`: at most a few times a second;
 * `page` and `asset`: one has changed its status; `removed`: it was deleted.
 */
export type ScanEvent =
  | { type: 'changed' | 'progress' | 'removed'; scanId: string }
  | { type: 'page' | 'asset'; scanId: string; seq: number };
