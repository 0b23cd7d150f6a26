/** Creates the SDK server of one request. No state is kept between requests. */
import type { Server } from '@modelcontextprotocol/server';
import type { Era } from '../../mcp/ask.ts';
import { createMcpServer } from '../../mcp/sdk-server.ts';
import type { Context } from '../http/context.ts';
import { packageVersion } from '../version.ts';
import type { HostedToolContext } from './context.ts';
import { HOSTED_TOOLS, INSTRUCTIONS } from './tools.ts';

const VERSION = packageVersion();

export const createHostedServer = (ctx: Context, hosted: HostedToolContext, era: Era): Server =>
  createMcpServer(HOSTED_TOOLS, hosted, {
    name: 'imagecrew',
    version: VERSION,
    instructions: INSTRUCTIONS,
    era,
    onFailure(failure) {
      hosted.record.errorCode = failure.code;
      if (failure.code === 'internal_error') ctx.state.reportBug(failure.cause ?? failure);
    },
  });
