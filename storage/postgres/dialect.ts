/** Kysely's PostgreSQL dialect with additions. */

import { type DataTypeNode, PostgresAdapter, PostgresDialect, PostgresQueryCompiler, type QueryCompiler } from 'kysely';
import type { RepositoryDialect } from '../sql/syntax.ts';
import { postgresSyntax } from './syntax.ts';

class Adapter extends PostgresAdapter {
  readonly syntax = postgresSyntax;
}

/**
 * PostgreSQL's types for those that the migrations name, which are SQLite's: its integers and numbers have 64 bits, and
 * texts are compared byte by byte.
 */
const TYPES: Readonly<Record<string, string>> = {
  integer: 'bigint',
  real: 'double precision',
  blob: 'bytea',
  text: 'text collate "C"',
};

class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(TYPES[node.dataType] ?? node.dataType);
  }
}

export class RepositoryPostgresDialect extends PostgresDialect implements RepositoryDialect {
  override createAdapter(): Adapter {
    return new Adapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new Compiler();
  }
}
