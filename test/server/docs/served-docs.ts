/** Runs a service in its own process, with the key of its first account, which has every scope. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { withFolder } from '../../support/folder.ts';
import { withServed } from '../../support/serve-process.ts';

export interface ServedDocs {
  address: string;
  key: string;
  /** An empty folder. */
  folder: string;
}

export function withServedDocs(
  work: (served: ServedDocs) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  return withFolder((folder) =>
    withFolder((data) =>
      withServed(
        join(data, 'data'),
        ({ address, greeting, key }) => {
          assert.ok(key, greeting);
          return work({ address, key, folder });
        },
        env,
      ),
    ),
  );
}
