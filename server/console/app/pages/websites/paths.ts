/** Paths of the interface about websites, for files and events. */
const SCANS = '/api/v1/sites/scans';

/** @param parts behind it, as `assets`, `3` */
export function scanPath(id: string, ...parts: (string | number)[]): string {
  return [SCANS, ...[id, ...parts].map((part) => encodeURIComponent(part))].join('/');
}
