/** Formats a time as the API and the records show it: UTC with milliseconds, which sorts correctly as text. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
