import { signal } from '@preact/signals';

/** Addresses of a job that failed, for the form of a new one. */
export const addressesAgain = signal('');
