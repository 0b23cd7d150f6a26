/** What the tools about websites have in common. */
import { z } from 'zod';
import { requireSites } from '../../sites/access.ts';
import { type AnyTool, type Tool, tool } from '../tool.ts';
import type { Hosted } from './context.ts';

/**
 * A tool for live keys with the scope `sites`.
 * @param operation what the log and the metrics know it as: the same as over the REST interface
 */
export function siteTool<I extends z.ZodObject, O extends z.ZodObject>(
  operation: string,
  definition: Tool<Hosted, I, O>,
): AnyTool<Hosted> {
  return tool({
    ...definition,
    async run(args: z.output<I>, context: Hosted, call) {
      context.record.operation = operation;
      requireSites(context.caller);
      return await definition.run(args, context, call);
    },
  });
}

/** Of a tool that only reads what the service has. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

export const scanId = z.string().meta({
  description: 'Id of a scan or of a run of optimize_website.',
  examples: ['scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F'],
});
