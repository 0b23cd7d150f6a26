/** What the documentation pages use. */
import type { Plans } from '../account/plans.ts';

export interface DocumentationServices {
  plans: Plans;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
}
