/** Formats a time as the API and the records show it: UTC with milliseconds, which sorts correctly as text. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();
