import type { Parameter } from '../../declared.ts';

/** What the control of one parameter gets. */
export interface ControlProps {
  parameter: Parameter;
  /** Undefined: the default. */
  value: unknown;
  onValue(value: unknown): void;
  error: string | undefined;
}
