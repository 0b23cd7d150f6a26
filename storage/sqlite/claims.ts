import type { Claims, Presence } from '../ports/processes.ts';

/** Always taken: one process has the data folder (storage/data-folder/server-lock.ts). */
export const UNCONTESTED: Claims = { take: async () => true, release: async () => {}, isAlone: async () => true };

export const ALONE: Presence = { leave: async () => {} };
