/** What the endpoints of files use. */
import type { Results } from '../../storage/results.ts';

export interface FileServices {
  results: Results;
  /** The current time in milliseconds. */
  now: () => number;
}
