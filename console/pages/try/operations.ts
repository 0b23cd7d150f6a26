/** The operations that the page offers, in the order of the service. */
import type { Operation } from '../../../server/console/declaration-types.ts';
import { declarations } from '../../declarations/declarations.ts';
import type { Values } from '../../parameters/values.ts';

export const OPERATIONS: readonly Operation[] = declarations.operations;

export const DEFAULT_OPERATION = 'compress';

/**
 * Returns whether the operation runs without a click. Only fast operations do. A link from elsewhere must not send an
 * image to another address before the user has seen that address.
 */
export const runsAutomatically = ({ id }: Operation, { deliver_to }: Values): boolean =>
  id === DEFAULT_OPERATION && deliver_to === undefined;
