/** Uploads a file that never ends. Sends a message with each part that the store has. */

import { StorageQuota } from '../../../storage/quota.ts';
import { S3Client } from '../../../storage/s3/client.ts';
import { PART_BYTES } from '../../../storage/s3/parts.ts';
import { S3Files } from '../../../storage/s3/s3-files.ts';
import { s3Settings } from '../../../storage/s3/settings.ts';
import { s3ConfigOf } from '../../support/s3/s3-server.ts';

const client = new S3Client(s3Settings(s3ConfigOf(process.env as Record<string, string>)));
const quota = new StorageQuota(Number.POSITIVE_INFINITY);
const files = await S3Files.open({ client, name: 'files', quota, now: Date.now, redirects: false });

async function* endless(): AsyncGenerator<Uint8Array> {
  for (let parts = 0; ; parts += 1) {
    // The next part is asked for when the one before is stored.
    yield Buffer.alloc(PART_BYTES, parts);
    process.send?.(parts);
  }
}

await files.putStream('file_endless', endless());
