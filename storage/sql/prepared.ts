/** Frequent statements that are compiled once. Compiling one costs several times as much as running it in SQLite. */

import type { Compilable, CompiledQuery, Kysely, OperationNodeSource } from 'kysely';
import type { Tables } from './schema.ts';

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Replaces all values while a statement is compiled: it needs only their names. */
const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });

/**
 * Declares a statement. The first call on a database compiles it; later calls only fill in the values.
 * @param build makes the query. It may only pass on the properties of `values`, each by its name, because they are
 * placeholders
 * @returns a function that runs the statement and resolves to its rows
 */
export function prepared<V extends object, R>(
  build: (db: Kysely<Tables>, values: V) => Compilable<R> & OperationNodeSource,
): (db: Kysely<Tables>, values: V) => Promise<R[]> {
  // One per database. Its transactions share the adapter.
  const built = new WeakMap<object, CompiledQuery<R>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = built.get(adapter);
    if (!query) {
      query = build(db, placeholders as V).compile();
      built.set(adapter, query);
    }
    const parameters = query.parameters.map((each) =>
      each instanceof Placeholder ? values[each.name as keyof V] : each,
    );
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}
