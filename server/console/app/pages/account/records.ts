/** What the service tells of an account, as far as the page shows it. */

export interface Standing {
  used: number;
  /** null: none. */
  limit: number | null;
}

export const SCOPES = ['ai', 'sites', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export type Mode = 'live' | 'test';

export interface Usage {
  account: { id: string; name: string; plan: string };
  period: { start: string; end: string };
  requests: Standing;
  ai: Standing;
  key: Standing & { id: string; name: string; mode: Mode; scopes: readonly string[] };
  test: { used_today: number; limit_per_day: number; resets_at: string };
  rate: { per_minute: number | null; remaining: number | null; resets_at: string };
  limits: Readonly<Record<string, number>>;
  features: readonly string[];
  by_operation: readonly OperationUse[];
  notices: readonly { meter: string; threshold: number; sent_at: string; channel: string }[];
}

export interface OperationUse {
  operation: string;
  requests: number;
  ai: number;
  bytes_in: number;
  bytes_out: number;
  failed: number;
}

export interface Key {
  id: string;
  name: string;
  mode: Mode;
  prefix: string;
  scopes: readonly string[];
  monthly_limit: number | null;
  used: number;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface WebhookSecret {
  secret: string;
  created_at: string;
  previous_valid_until: string | null;
}

export interface WebhookTest {
  id: string;
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  error: string | null;
}

export interface Delivery {
  at: string;
  status: number | null;
  duration_ms: number;
  error: string | null;
}

export interface WebhookState {
  url: string;
  status: 'pending' | 'delivered' | 'failed' | 'stopped';
  attempts: number;
}

export interface JobWithWebhook {
  id: string;
  created_at: string;
  webhook: WebhookState;
}

export interface Format {
  id: string;
  name: string;
  extensions: readonly string[];
  read: boolean;
  write: boolean;
  animation_read: boolean;
  multi_page: boolean;
  needs_filename: boolean;
}

export interface Readiness {
  status: 'ready' | 'starting' | 'draining' | 'failed';
  checks: Readonly<Record<string, 'ok' | 'failed'>>;
  models: Readonly<Record<string, 'ready' | 'missing' | 'failed'>>;
}
