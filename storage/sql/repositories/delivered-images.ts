import { sql } from 'kysely';
import type { DeliveredImages, ImagesOf } from '../../ports/delivered-images.ts';
import type { CachedFile, DeliveredImage } from '../../records/delivered-images.ts';
import { prepared } from '../prepared.ts';
import { Repository } from '../repository.ts';

const find = prepared((db, { key }: { key: string }) =>
  db.selectFrom('deliveredImages').selectAll().where('key', '=', key),
);

const FILE = ['key', 'fileId', 'bytes'] as const;

export class SqlDeliveredImages extends Repository implements DeliveredImages {
  async find(key: string): Promise<DeliveredImage | undefined> {
    const [image] = await find(this.db, { key });
    return image;
  }

  async put(image: DeliveredImage): Promise<CachedFile | undefined> {
    const { key, ...values } = image;
    // Two processes may replace the same image at once. Then one file keeps no record, which the next start removes.
    const replaced = await this.find(key);
    await this.db
      .insertInto('deliveredImages')
      .values(image)
      .onConflict((conflict) => conflict.column('key').doUpdateSet(values))
      .execute();
    return replaced;
  }

  async touch(keys: readonly string[], usedAt: string): Promise<void> {
    await this.db.updateTable('deliveredImages').set({ usedAt }).where('key', 'in', this.inList(keys)).execute();
  }

  async leastUsed(max: number): Promise<CachedFile[]> {
    return await this.db
      .selectFrom('deliveredImages')
      .select(FILE)
      .orderBy('usedAt')
      .orderBy('key')
      .limit(max)
      .execute();
  }

  async some(accountId: string, which: ImagesOf, max: number): Promise<CachedFile[]> {
    let query = this.db.selectFrom('deliveredImages').select(FILE).where('accountId', '=', accountId).limit(max);
    if ('source' in which) query = query.where('source', '=', which.source);
    if ('tag' in which) query = query.where('tag', '=', which.tag);
    // SQL counts code points.
    if ('prefix' in which)
      query = query.where(sql<string>`substr(source, 1, ${[...which.prefix].length})`, '=', which.prefix);
    return await query.execute();
  }

  async remove(images: readonly CachedFile[]): Promise<CachedFile[]> {
    return await this.db
      .deleteFrom('deliveredImages')
      .where('fileId', 'in', this.inList(images.map(({ fileId }) => fileId)))
      .returning(FILE)
      .execute();
  }

  async unknownFiles(fileIds: readonly string[]): Promise<string[]> {
    const rows = await this.db
      .selectFrom('deliveredImages')
      .select('fileId')
      .where('fileId', 'in', this.inList(fileIds))
      .execute();
    const known = new Set(rows.map(({ fileId }) => fileId));
    return fileIds.filter((id) => !known.has(id));
  }

  async total(accountId?: string): Promise<{ images: number; bytes: number }> {
    let query = this.db
      .selectFrom('deliveredImages')
      .select(({ fn }) => [
        fn.countAll<number>().as('images'),
        fn.coalesce(fn.sum<number>('bytes'), sql<number>`0`).as('bytes'),
      ]);
    if (accountId !== undefined) query = query.where('accountId', '=', accountId);
    const { images, bytes } = await query.executeTakeFirstOrThrow();
    return { images: Number(images), bytes: Number(bytes) };
  }
}
