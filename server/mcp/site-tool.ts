/** Helpers shared by the website tools. */
import { z } from 'zod';
import { type AnyTool, type Tool, tool } from '../../mcp/tool.ts';
import { requireSites } from '../sites/access.ts';
import type { HostedToolContext } from './context.ts';

/**
 * Defines a tool that requires a live key with the scope `sites`.
 * @param operation name in the log and the metrics, the same as in the REST API
 */
export function siteTool<I extends z.ZodObject, O extends z.ZodObject>(
  operation: string,
  definition: Tool<HostedToolContext, I, O>,
): AnyTool<HostedToolContext> {
  return tool({
    ...definition,
    async run(args: z.output<I>, context: HostedToolContext, call) {
      context.record.operation = operation;
      requireSites(context.caller);
      return await definition.run(args, context, call);
    },
  });
}

/** Annotations of a tool that only reads stored data. */
export const READ_ONLY_ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const scanId = z.string().meta({
  description: 'Id of a scan or of a run of optimize_website.',
  examples: ['scan_01JD3Z8Q4W0V6S8H2N5B7C9E1F'],
});
