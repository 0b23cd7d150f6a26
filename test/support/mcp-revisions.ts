/** Options of the SDK's client for the two generations of MCP: with `initialize`, and stateless. */
import type { ClientOptions } from '@modelcontextprotocol/client';

export type McpRevision = '2025-11-25' | '2026-07-28';

export const MCP_REVISIONS: readonly McpRevision[] = ['2025-11-25', '2026-07-28'];

export const speaking = (revision: McpRevision): ClientOptions => ({
  versionNegotiation: { mode: revision === '2025-11-25' ? 'legacy' : { pin: revision } },
});
