/**
 * Requests in the current minute. `endsAt` is in milliseconds because it is used in calculations and never displayed.
 */
export interface RateWindow {
  subject: string;
  requests: number;
  endsAt: number;
}
