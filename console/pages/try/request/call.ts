/** Builds the request of an operation. */
import type { Call } from '../../../../client/transport.ts';
import type { Operation } from '../../../../server/console/declaration-types.ts';
import { toQuery, type Values } from '../../../parameters/values.ts';

export type Source = { kind: 'file'; file: File } | { kind: 'url'; url: string };

export interface OperationRequest {
  operation: Operation;
  values: Values;
  source: Source;
  /** Additional images, by part name. */
  parts: Readonly<Record<string, Blob>>;
}

export function buildCall({ operation, values, source, parts }: OperationRequest): { path: string; call: Call } {
  const query = toQuery(values);
  if (source.kind === 'url')
    return {
      path: operation.path,
      call: {
        ...{ method: 'POST', query, body: JSON.stringify({ url: source.url }) },
        headers: { 'Content-Type': 'application/json' },
      },
    };
  const body = new FormData();
  body.append('image', source.file);
  for (const [name, part] of Object.entries(parts)) body.append(name, part);
  return { path: operation.path, call: { method: 'POST', query, body } };
}

/** Returns the name of the file, or the last path segment of the address. */
export function sourceName(source: Source): string {
  if (source.kind === 'file') return source.file.name;
  return (URL.canParse(source.url) && new URL(source.url).pathname.split('/').pop()) || 'image';
}
