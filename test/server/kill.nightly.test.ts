/** Kills a working service repeatedly and restarts it on the same data folder. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openSqlite } from '../../base/sqlite/open.ts';
import { withFolder } from '../support/folder.ts';
import { scene } from '../support/scenes.ts';
import { type ServeProcess, withServed } from '../support/serve-process.ts';
import { jpeg } from '../support/test-images.ts';

/** After how many responses the process is killed, for each round. */
const ROUNDS = [1, 3, 2, 5, 1];
const REQUESTS = 12;
const MINUTE = 60_000;

/** Contents of the database, read while the service runs or after it was killed. */
interface DatabaseState {
  used: number;
  usedByKey: number;
  reserved: number;
  window: { requests: number; endsAt: number } | undefined;
  files: { id: string; bytes: number; sha256: string }[];
}

function readDatabaseState(dataDir: string): DatabaseState {
  const file = openSqlite(join(dataDir, 'imagecrew.sqlite'), { readonly: true });
  try {
    const read = <T>(sql: string) => file.prepare(sql).all() as T[];
    const used = (table: 'accounts' | 'keys') =>
      read<{ requests: number }>(`select requests from meters where subject in (select id from ${table})`)
        .map(({ requests }) => requests)
        .reduce((sum, requests) => sum + requests, 0);
    const [window] = read<{ requests: number; endsAt: number }>('select requests, ends_at as endsAt from rate_windows');
    const [{ reserved } = { reserved: 0 }] = read<{ reserved: number }>(
      'select coalesce(sum(reserved_requests + reserved_ai), 0) as reserved from meters',
    );
    const files = read<DatabaseState['files'][number]>('select id, bytes, sha256 from files where removed_at is null');
    return { used: used('accounts'), usedByKey: used('keys'), reserved, window, files };
  } finally {
    file.close();
  }
}

interface StoredAnswer {
  id: string;
  sha256: string;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Sends requests and kills the service after `answers` responses.
 * @returns how many responses were complete, and the results that they stored
 */
async function killAfter(
  answers: number,
  { address, child }: ServeProcess,
  authorization: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<{ complete: number; stored: StoredAnswer[] }> {
  const exited = once(child, 'exit');
  const stored: StoredAnswer[] = [];
  let complete = 0;
  const send = async (output: 'json' | 'binary') => {
    const answer = await fetch(`${address}/api/v1/compress?format=webp&width=400&output=${output}`, {
      method: 'POST',
      body,
      headers: { authorization },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, bytes.toString());
    complete += 1;
    if (output === 'json') stored.push(JSON.parse(bytes.toString()) as StoredAnswer);
    if (complete === answers) child.kill('SIGKILL');
  };
  const sent = await Promise.allSettled(
    Array.from({ length: REQUESTS }, (_, n) => send(n % 2 === 0 ? 'json' : 'binary')),
  );
  await exited;
  const broken = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []));
  for (const error of broken) if (error instanceof assert.AssertionError) throw error;
  assert.equal(broken.length, REQUESTS - complete);
  return { complete, stored };
}

describe('a service that is killed', { timeout: 180_000 }, () => {
  it('loses no response it has sent and no credit, and starts again on its folder', async () => {
    const body = new Uint8Array(await jpeg(scene('photo', 900, 600)));
    await withFolder(async (dataDir) => {
      let authorization = '';
      let used = 0;
      let lost = 0;
      let window: DatabaseState['window'];
      const stored: StoredAnswer[] = [];

      const checkRestarted = async ({ address }: ServeProcess) => {
        const books = readDatabaseState(dataDir);
        assert.deepEqual([books.used, books.usedByKey, books.reserved], [used, used, 0]);
        const headers = { authorization };
        const answer = await fetch(`${address}/api/v1/formats`, { headers });
        await answer.arrayBuffer();
        const { requests, endsAt } = readDatabaseState(dataDir).window!;
        // The window may have ended in between. If there is a new one, it must start after the end of the old one.
        if (window && endsAt !== window.endsAt) assert.ok(endsAt - MINUTE >= window.endsAt && requests === 1);
        else if (window) assert.equal(requests, window.requests + 1);
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"minute";r=${600 - requests};`));
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`"month";r=${20_000 - used};`));
        await checkFiles(address, books);
      };

      /** Checks that each result has both its complete file and its record, or neither. */
      const checkFiles = async (address: string, { files }: DatabaseState) => {
        const entries = await readdir(join(dataDir, 'files'), { withFileTypes: true });
        const present = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
        assert.deepEqual(present.sort(), files.map(({ id }) => id).sort());
        for (const { id, bytes, sha256: expected } of files) {
          const data = await readFile(join(dataDir, 'files', id));
          assert.deepEqual([data.length, sha256(data)], [bytes, expected]);
        }
        for (const { id, sha256: expected } of stored) {
          const answer = await fetch(`${address}/api/v1/files/${id}`, { headers: { authorization } });
          assert.equal(answer.status, 200);
          assert.equal(sha256(new Uint8Array(await answer.arrayBuffer())), expected);
        }
      };

      for (const answers of ROUNDS) {
        await withServed(dataDir, async (served) => {
          authorization ||= `Bearer ${served.key}`;
          await checkRestarted(served);
          const round = await killAfter(answers, served, authorization, body);
          const books = readDatabaseState(dataDir);
          assert.ok(books.used >= used + round.complete, `${books.used} < ${used} + ${round.complete}`);
          assert.ok(books.used <= used + REQUESTS, `${books.used} > ${used} + ${REQUESTS}`);
          assert.equal(books.usedByKey, books.used);
          ({ used, window } = books);
          lost += books.reserved;
          stored.push(...round.stored);
        });
      }
      // Otherwise the kills interrupted no work and the test has proved nothing.
      assert.ok(lost > 0);
      await withServed(dataDir, checkRestarted);
    });
  });
});
