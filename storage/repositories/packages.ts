import type { Kysely, Selectable } from 'kysely';
import { newId } from '../../base/id.ts';
import { type PackageTable, type Tables, timestamp } from '../schema.ts';

/** A number of pages for website scans that an account has bought. */
export type Package = Selectable<PackageTable>;

export class Packages {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Grants a package to an account. @param pages number of pages in it */
  async grant(accountId: string, name: string, pages: number): Promise<Package> {
    return await this.#db
      .insertInto('packages')
      .values({
        id: newId('pkg'),
        accountId,
        package: name,
        pagesTotal: pages,
        pagesLeft: pages,
        boughtAt: timestamp(Date.now()),
        expiresAt: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** The packages of an account, oldest first. */
  async list(accountId: string): Promise<Package[]> {
    return await this.#db.selectFrom('packages').selectAll().where('accountId', '=', accountId).orderBy('id').execute();
  }
}
