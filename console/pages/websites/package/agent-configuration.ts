/** The configuration that starts the local MCP server for a coding agent. */
import { useEffect, useState } from 'preact/hooks';

const PROGRAM_PATH = '/mcp-local.tgz';

/**
 * Returns the text for `.mcp.json`. The address has the version of the program, because npx keeps what it has fetched
 * from an address. A service that runs from its sources hands out no program: then it is the installed one.
 */
export function useAgentConfiguration(): string {
  const [program, setProgram] = useState(() => served(''));
  useEffect(() => {
    const abort = new AbortController();
    fetch(PROGRAM_PATH, { method: 'HEAD', signal: abort.signal }).then(
      ({ status, headers }) => {
        if (status === 404) setProgram({ command: 'imagecrew', args: [] });
        const tag = /^"([\w-]+)"$/.exec(headers.get('ETag') ?? '')?.[1];
        if (tag) setProgram(served(`?version=${tag}`));
      },
      // The address works without a version too.
      () => {},
    );
    return () => abort.abort();
  }, []);
  const server = {
    command: program.command,
    args: [...program.args, 'mcp', '--root', '.', '--base-url', location.origin],
    env: { IC_API_KEY: 'ic_live_…' },
  };
  return JSON.stringify({ mcpServers: { 'imagecrew-local': server } }, null, 2);
}

const served = (query: string) => ({ command: 'npx', args: ['-y', `${location.origin}${PROGRAM_PATH}${query}`] });
