/** The user's key. It is stored in this browser and sent only to this service. */
import { computed, signal } from '@preact/signals';
import { Transport } from '../../../../client/transport.ts';
import { keep, readKept } from '../ui/kept.ts';
import { go } from './router.ts';

const STORED = 'imagecrew.key';
const FORM = /^ic_(live|test)_\w+$/;

export const key = signal<string | undefined>(readKept(STORED));

export const isTestKey = computed(() => key.value?.startsWith('ic_test_') === true);

/** The last key that the service refused. */
const refused = signal<string | undefined>(undefined);

/** True if the current key is unknown, expired or revoked. */
export const isRefused = computed(() => key.value !== undefined && key.value === refused.value);

/** The client for every request of the console. */
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

/** Follows changes of the key in other tabs. */
addEventListener('storage', ({ key: name }) => {
  if (name === STORED || name === null) key.value = readKept(STORED);
});

export function isKey(text: string): boolean {
  return FORM.test(text.trim());
}

/** @param text undefined removes the stored key */
export function keepKey(text: string | undefined): void {
  key.value = text?.trim();
  keep(STORED, key.value);
}

/**
 * Reads the key from the fragment of the address. The service prints such an address with the first key, because
 * browsers do not send fragments.
 */
export function takeKeyFromAddress(): void {
  const found = /^#key=(\S+)$/.exec(location.hash)?.[1];
  if (found === undefined || !isKey(found)) return;
  keepKey(found);
  // Removes the key from the address, so that it is neither kept in the history nor shared.
  go(location.pathname, { replace: true });
}
