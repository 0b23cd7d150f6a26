import { z } from 'zod';
import { tool } from '../../mcp/tool.ts';
import { readUsage, usageRecord } from '../account/usage.ts';
import type { HostedToolContext } from './context.ts';

const quotaText = ({ used, limit }: { used: number; limit: number | null }) =>
  limit === null ? `${used} (no limit)` : `${used} of ${limit}`;

export const usageTool = tool({
  name: 'get_usage',
  title: 'Usage and limits',
  description: "This month's requests and AI requests, what is left, and the limits of the plan. Free of charge.",
  input: z.strictObject({}),
  output: z.object({ usage: usageRecord }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(_args, { services, caller, rate, record }: HostedToolContext) {
    record.operation = 'usage';
    const usage = await readUsage(services, caller, rate);
    const { account, requests, ai, key, period } = usage;
    return {
      structured: { usage },
      text: `Plan ${account.plan}: ${quotaText(requests)} requests and ${quotaText(ai)} AI requests until ${period.end}; this key ${quotaText(key)}.`,
    };
  },
});
