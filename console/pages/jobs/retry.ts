import { signal } from '@preact/signals';

/** Addresses of failed images, passed to the form of a new job. */
export const retryAddresses = signal('');
