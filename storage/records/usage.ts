/** The usage of one operation by an account in a month. */
export interface OperationUsage {
  accountId: string;
  month: string;
  operation: string;
  requests: number;
  ai: number;
  bytesIn: number;
  bytesOut: number;
  failed: number;
}
