/**
 * Keeps the operation, its parameters and the image's address (if it has one) in the page's address, so that a link can
 * be shared.
 */
import { useRef } from 'preact/hooks';
import type { Operation } from '../../../server/console/declaration-types.ts';
import { fromQuery, toQuery, type Values } from '../../parameters/values.ts';
import { navigate, route, to } from '../../shell/router.ts';
import { DEFAULT_OPERATION, OPERATIONS } from './operations.ts';

export function useAddress() {
  const { path, query } = route.value;
  const operation = OPERATIONS.find(({ id }) => id === (path[1] ?? DEFAULT_OPERATION)) ?? OPERATIONS[0]!;
  const values = fromQuery(operation.parameters, query);
  // Address of the image.
  const url = query.get('url') ?? undefined;
  const known = useRef<Record<string, Values>>({});
  known.current[operation.id] = values;
  const addressOf = (id: string, set: Values, image: string | undefined) =>
    to(['try', id], { ...toQuery(set), url: image });
  return {
    operation,
    values,
    url,
    setValues: (next: Values) => navigate(addressOf(operation.id, next, url), { replace: true }),
    setUrl: (next: string | undefined) => navigate(addressOf(operation.id, values, next), { replace: true }),
    /** Returns the link to another operation, with the settings it had before. */
    linkTo: ({ id }: Operation) => addressOf(id, known.current[id] ?? {}, url),
  };
}
