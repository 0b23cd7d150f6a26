/** The user's key. It is stored in this browser and sent only to this service. */
import { computed, signal } from '@preact/signals';
import { Transport } from '../../client/transport.ts';
import { readStored, store } from '../ui/storage.ts';
import { navigate } from './router.ts';

const STORAGE_KEY = 'imagecrew.key';
const KEY_PATTERN = /^ic_(live|test)_\w+$/;

export const key = signal<string | undefined>(readStored(STORAGE_KEY));

export const isTestKey = computed(() => key.value?.startsWith('ic_test_') === true);

/** The last key that the service rejected. */
const rejectedKey = signal<string | undefined>(undefined);

/** True if the current key is unknown, expired or revoked. */
export const isRejected = computed(() => key.value !== undefined && key.value === rejectedKey.value);

/** The client for every request of the console. */
export const api = computed(() => {
  const used = key.value;
  const send: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (response.status === 401) rejectedKey.value = used;
    else if (response.ok && rejectedKey.value === used) rejectedKey.value = undefined;
    return response;
  };
  return new Transport({ key: used, baseUrl: '', fetch: send });
});

/** Follows changes of the key in other tabs. */
addEventListener('storage', ({ key: name }) => {
  if (name === STORAGE_KEY || name === null) key.value = readStored(STORAGE_KEY);
});

export const isKey = (text: string): boolean => KEY_PATTERN.test(text.trim());

/** @param text undefined removes the stored key */
export function storeKey(text: string | undefined): void {
  key.value = text?.trim();
  store(STORAGE_KEY, key.value);
}

/**
 * Reads the key from the fragment of the address. The service prints such an address with the first key, because
 * browsers do not send fragments.
 */
export function takeKeyFromAddress(): void {
  const found = /^#key=(\S+)$/.exec(location.hash)?.[1];
  if (found === undefined || !isKey(found)) return;
  storeKey(found);
  // Removes the key from the address, so that it is neither kept in the history nor shared.
  navigate(location.pathname, { replace: true });
}
