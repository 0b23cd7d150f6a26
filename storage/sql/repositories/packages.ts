import { newId } from '../../../base/id.ts';
import { timestamp } from '../../../base/timestamp.ts';
import type { Packages } from '../../ports/packages.ts';
import type { Package } from '../../records/packages.ts';
import { Repository } from '../repository.ts';

export class SqlPackages extends Repository implements Packages {
  async grant(accountId: string, name: string, pages: number): Promise<Package> {
    return await this.db
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

  async list(accountId: string): Promise<Package[]> {
    return await this.db.selectFrom('packages').selectAll().where('accountId', '=', accountId).orderBy('id').execute();
  }
}
