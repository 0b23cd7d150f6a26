/**
 * Kills the service at random moments while it makes images for addresses, starts it again, and checks every image that
 * it then sends, and what the cache holds.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { withFolder } from './folder.ts';
import { signedAddress } from './image-addresses.ts';
import { Random } from './random.ts';
import { openServed } from './serve-process.ts';

export interface DeliveryKillsOptions {
  /** Images to make. */
  images: number;
  kills: number;
  seed: number;
}

export interface DeliveryKillsReport extends DeliveryKillsOptions {
  /** Images that were sent, of all starts. */
  sent: number;
  /** Of these, images that came from the cache. */
  hits: number;
  problems: string[];
}

/** Requests under way at a time. */
const CONCURRENT = 16;
const SIDE = 48;

export async function killDuringDelivery(options: DeliveryKillsOptions): Promise<DeliveryKillsReport> {
  const { images, kills, seed } = options;
  const random = new Random(seed);
  const report: DeliveryKillsReport = { ...options, sent: 0, hits: 0, problems: [] };
  await withFolder(async (folder) => {
    const [photos, dataDir] = [join(folder, 'photos'), join(folder, 'data')];
    await mkdir(photos);
    const pixels = Uint8Array.from({ length: SIDE * SIDE * 3 }, () => random.integer(256));
    const raw = { width: SIDE, height: SIDE, channels: 3 } as const;
    await writeFile(join(photos, 'a.png'), await sharp(pixels, { raw }).png().toBuffer());
    const env = { IC_SOURCES: `photos=${photos}`, IC_PLANS_FILE: join(folder, 'plans.json'), IC_LOG_LEVEL: 'error' };
    await writeFile(
      env.IC_PLANS_FILE,
      JSON.stringify({ pro: { requests_per_month: null, requests_per_minute: null } }),
    );
    let key = '';
    let keyId = '';
    let next = 0;
    for (let start = 0; start <= kills; start += 1) {
      const served = await openServed(dataDir, env);
      key ||= served.key;
      keyId ||= await idOf(served.address, key);
      const until = start === kills ? images : Math.min(images, Math.ceil(((start + random.next()) * images) / kills));
      // What the killed service has made is read again.
      const from = Math.max(0, next - CONCURRENT * 4);
      await deliver({ ...served, key, keyId, from, until, report });
      next = until;
      if (start < kills) {
        const killed = deliver({
          ...served,
          key,
          keyId,
          from: until,
          until: until + CONCURRENT,
          report,
          isKilled: true,
        });
        served.child.kill('SIGKILL');
        await killed;
      } else await checkCache(served.address, key, dataDir, report);
      await served.close();
    }
  });
  return report;
}

async function idOf(address: string, key: string): Promise<string> {
  const response = await fetch(`${address}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { key: { id: string } }).key.id;
}

interface Delivery {
  address: string;
  key: string;
  keyId: string;
  from: number;
  until: number;
  report: DeliveryKillsReport;
  /** The service is killed meanwhile, so requests may fail. */
  isKilled?: boolean;
}

async function deliver({ address, key, keyId, from, until, report, isKilled = false }: Delivery): Promise<void> {
  let at = from;
  const work = async () => {
    while (at < until) {
      const number = at++;
      // Each has an address of its own.
      const signed = `/w:${1 + (number % SIDE)},f:png,tag:n${number}/store:photos/a.png`;
      try {
        const response = await fetch(address + signedAddress({ id: keyId, text: key }, signed));
        await check(number, response, report);
      } catch (error) {
        if (!isKilled) report.problems.push(`${number}: ${String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}

async function check(number: number, response: Response, report: DeliveryKillsReport): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  report.sent += 1;
  if (response.headers.get('x-ic-cache') === 'hit') report.hits += 1;
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  const { width } = await sharp(body).metadata();
  // Decodes every row.
  await sharp(body).raw().toBuffer();
  if (response.status !== 200 || response.headers.get('etag') !== etag || width !== 1 + (number % SIDE))
    report.problems.push(`${number}: ${response.status}, ${body.length} bytes, ${width} pixels wide`);
}

/** Compares what the service says that the cache holds with the files of its folder. */
async function checkCache(address: string, key: string, dataDir: string, report: DeliveryKillsReport): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${address}/api/v1/delivery/images`, { headers });
  const recorded = (await response.json()) as { images: number; bytes: number };
  const folder = join(dataDir, 'images');
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ name }) => (await stat(join(folder, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (recorded.images !== files.length || recorded.bytes !== bytes)
    report.problems.push(
      `${JSON.stringify(recorded)} were recorded, ${files.length} files of ${bytes} bytes are there`,
    );
}
