/** Instructions to apply a package. */
import type { SiteScan } from '../types.ts';

export type ServerName = 'nginx' | 'apache' | 'netlify';

const COPY = 'Unpack the package and copy what is in files/ into the document root of the website.';

export const SERVERS: Readonly<Record<ServerName, { steps: string[]; undo: string }>> = {
  nginx: {
    steps: [
      COPY,
      'Copy rules/nginx.conf to the server and follow what stands at its head: it says what belongs into which block.',
      'Check it by nginx -t, then reload nginx.',
    ],
    undo: 'Browsers that do not accept the new format still get the originals. Remove the rules to take it back.',
  },
  apache: {
    steps: [
      COPY,
      'Put the lines of rules/.htaccess into the file .htaccess of the document root, before other rules. They need mod_rewrite.',
      'Load a page again and look at the images.',
    ],
    undo: 'Browsers that do not accept the new format still get the originals. Remove the lines to take it back.',
  },
  netlify: {
    steps: [
      'Unpack the package and copy what is in files/ into the folder that is published.',
      'Put the lines of rules/_redirects into the file _redirects of that folder.',
      'Publish the website.',
    ],
    undo: 'These rules send the new files to every browser; browsers since 2020 read WebP. Remove the lines to take it back.',
  },
};

/** @param baseUrl address of the service, where the package is downloaded by the scan's id */
export function agentConfiguration(baseUrl: string): string {
  const server = {
    command: 'imagecrew',
    args: ['mcp', '--root', '.', '--base-url', baseUrl],
    env: { IC_API_KEY: 'ic_live_…' },
  };
  return JSON.stringify({ mcpServers: { 'imagecrew-local': server } }, null, 2);
}

export function agentPrompt({ id, domain }: Pick<SiteScan, 'id' | 'domain'>): string {
  return `Replace the images of ${domain} by those of the Imagecrew package of scan ${id}. Load it with load_replacement_package, find the references, and show me the plan before you change anything.`;
}
