import type { OperationUsage } from '../records/usage.ts';

export type UsageId = Pick<OperationUsage, 'accountId' | 'month' | 'operation'>;

export type UsageAmounts = Omit<OperationUsage, keyof UsageId>;

export interface Usage {
  add(id: UsageId, amounts: UsageAmounts): Promise<void>;
  /** The usage of a month, ordered by operation name. */
  ofMonth(accountId: string, month: string): Promise<OperationUsage[]>;
}
