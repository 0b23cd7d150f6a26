/** Paths of the API for website scans, for files and events. */
const SCANS = '/api/v1/sites/scans';

/** @param parts path segments after the id, for example `assets`, `3` */
export const scanPath = (id: string, ...parts: (string | number)[]): string =>
  [SCANS, ...[id, ...parts].map((part) => encodeURIComponent(part))].join('/');
