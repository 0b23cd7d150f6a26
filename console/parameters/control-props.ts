import type { Parameter } from '../../server/console/declaration-types.ts';

/** Props of the control of one parameter. */
export interface ControlProps {
  parameter: Parameter;
  /** Undefined means the default. */
  value: unknown;
  onValue(value: unknown): void;
  error: string | undefined;
}
