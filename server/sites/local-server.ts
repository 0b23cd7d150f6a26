/**
 * How the local MCP server is started. The service hands out its program as the npm package that the build makes
 * (scripts/local-server-package.mjs): agents must not run whatever is published under one of our names in a registry.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { described } from '../../base/described.ts';
import { createDecoder } from '../../base/parameter-decoder.ts';
import type { Context } from '../http/context.ts';
import type { OpenEndpoint } from '../http/endpoint.ts';
import { pathNotFound } from '../http/errors.ts';
import { readQuery } from '../http/query.ts';
import { StaticFile } from '../http/static-file.ts';

const PACKAGE = new URL('mcp-local.tgz', import.meta.url);
const PATH = '/mcp-local.tgz';
const TYPE = 'application/gzip';

/** A program with the local MCP server: what is written before `mcp --root .`. */
export interface LocalProgram {
  command: string;
  args: readonly string[];
  /** Tells an agent where the program comes from. */
  origin: string;
}

/** The program of an installation. Where it is missing, the agent must not look for its name elsewhere. */
export const INSTALLED_PROGRAM: LocalProgram = {
  command: 'imagecrew',
  args: [],
  origin:
    'The program `imagecrew` is part of an installation of Imagecrew. Where it is missing, ask the person for it, and install no package of that name from a registry.',
};

let loading: Promise<StaticFile | undefined> | undefined;

/** @returns undefined where nothing has been built, for example in a checkout that runs `npm run dev` */
function loadPackage(): Promise<StaticFile | undefined> {
  loading ??= readFile(PACKAGE).then(
    (bytes) => new StaticFile(TYPE, bytes),
    (error: NodeJS.ErrnoException) => {
      loading = undefined;
      if (error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
  return loading;
}

/**
 * Returns the program that the service hands out.
 * @param baseUrl public address of the service
 */
export async function servedProgram(baseUrl: string): Promise<LocalProgram> {
  const file = await loadPackage();
  if (!file) return INSTALLED_PROGRAM;
  return {
    command: 'npx',
    args: ['-y', `${baseUrl}${PATH}?version=${file.tag}`],
    origin: `The command fetches the program from ${baseUrl}, with npx and Node 22.13 or newer. Install no package with such a name from a registry.`,
  };
}

const query = z.strictObject({
  version: described(
    z.string().max(64).optional(),
    'Ignored. It makes the address of each version different, because npx keeps what it has fetched from an address.',
    'mBUB1xJcUqNlKJDZmZ4P6Q',
  ),
});
const queryDecoder = createDecoder(query);

async function sendPackage(ctx: Context): Promise<void> {
  readQuery(ctx, queryDecoder);
  const file = await loadPackage();
  if (!file) throw pathNotFound();
  await file.send(ctx, 'public, no-cache');
}

export const localServerEndpoint: OpenEndpoint = {
  method: 'get',
  path: PATH,
  operation: 'download_local_server',
  access: 'open',
  tags: ['Service'],
  errors: ['not_found'],
  summary: 'The local MCP server, as a package for npx',
  description:
    'Started by `npx -y ADDRESS mcp --root FOLDER`, it replaces images in the sources of a website. It depends on no other package.',
  requestParams: { query },
  responses: {
    '200': { description: 'The package.', content: { [TYPE]: { schema: { type: 'string', format: 'binary' } } } },
    '304': { description: 'The client has this package already.' },
  },
  handle: sendPackage,
};
