/** Statements of every request, built once. Building one anew costs several times what SQLite takes to run it. */
import type { Compilable, CompiledQuery, Kysely, OperationNodeSource } from 'kysely';
import type { Tables } from './schema.ts';

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Stands for every value: the name is all that a statement keeps of it. */
const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });

/**
 * Declares a statement. The first call on a database builds it, later ones only put their values in.
 * @param build makes the query; the properties of `values` may only be handed on to it, each by its name, because they
 *   are no values yet
 * @returns runs the statement and resolves to its rows
 */
export function prepared<V extends object, R>(
  build: (db: Kysely<Tables>, values: V) => Compilable<R> & OperationNodeSource,
): (db: Kysely<Tables>, values: V) => Promise<R[]> {
  // Of each database; its transactions share the adapter.
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
