/** The caller's key: pasted once, kept in this browser, sent to this service alone. */
import { computed, signal } from '@preact/signals';
import { Transport } from '../../../../client/transport.ts';
import { keep, readKept } from '../ui/kept.ts';
import { go } from './router.ts';

const STORED = 'imagecrew.key';
const FORM = /^ic_(live|test)_\w+$/;

export const key = signal<string | undefined>(readKept(STORED));

export const isTestKey = computed(() => key.value?.startsWith('ic_test_') === true);

/** The key that the service did not accept. */
const refused = signal<string | undefined>(undefined);

/** It is unknown, has ended or was revoked. */
export const isRefused = computed(() => key.value !== undefined && key.value === refused.value);

/** Every request of the console goes through this. */
export const api = computed(() => {
  const used = key.value;
  const send: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (response.status === 401) refused.value = used;
    else if (response.ok && refused.value === used) refused.value = undefined;
    return response;
  };
  return new Transport({ key: used, baseUrl: '', fetch: send });
});

/** What another tab has kept or forgotten holds here too. */
addEventListener('storage', ({ key: name }) => {
  if (name === STORED || name === null) key.value = readKept(STORED);
});

export function isKey(text: string): boolean {
  return FORM.test(text.trim());
}

/** @param text undefined forgets it */
export function keepKey(text: string | undefined): void {
  key.value = text?.trim();
  keep(STORED, key.value);
}

/** The service prints an address with the first key in its fragment, which is sent nowhere. */
export function takeKeyFromAddress(): void {
  const found = /^#key=(\S+)$/.exec(location.hash)?.[1];
  if (found === undefined || !isKey(found)) return;
  keepKey(found);
  // It must not stay in the history, nor be passed on with the address.
  go(location.pathname, { replace: true });
}
