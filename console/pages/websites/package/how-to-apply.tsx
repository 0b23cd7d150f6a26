import { useState } from 'preact/hooks';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import type { SiteScan } from '../types.ts';
import { useAgentConfiguration } from './agent-configuration.ts';

const METHODS = [
  { id: 'agent', title: 'Coding agent' },
  { id: 'nginx', title: 'nginx' },
  { id: 'apache', title: 'Apache' },
  { id: 'netlify', title: 'Netlify' },
] as const;
type Method = (typeof METHODS)[number]['id'];

/** Shows the two ways to apply a package: change the sources, or add rules to the web server. */
export function HowToApply({ scan }: { scan: SiteScan }) {
  const [way, setWay] = useState<Method>('agent');
  return (
    <section class="card" aria-label="How to apply it">
      <h2>How to apply it</h2>
      <Tabs
        label="Ways to apply the package"
        tabs={METHODS}
        selected={way}
        onSelect={(chosen) => setWay(chosen as Method)}
      >
        {way === 'agent' ? <Agent scan={scan} /> : <Server server={way} />}
      </Tabs>
    </section>
  );
}

function Agent({ scan }: { scan: SiteScan }) {
  return (
    <div class="stack">
      <p>
        A coding agent changes the sources of your website with the local server of Imagecrew. It shows every change
        before it makes it, keeps a backup, and can take all of it back. Your sources do not leave your machine.
      </p>
      <p>1. In the folder of your website, tell the agent of the server:</p>
      <CodeBlock label="Configuration of the agent" text={useAgentConfiguration()} />
      <p>2. Ask it:</p>
      <CodeBlock label="What to ask the agent" text={agentPrompt(scan)} />
      <p class="help">
        npx fetches the server from this service; it needs Node 22.13 or newer. Without a server, the agent can follow{' '}
        <code>AGENT.md</code> of the package.
      </p>
    </div>
  );
}

function Server({ server }: { server: ServerName }) {
  const { steps, undo } = SERVERS[server];
  return (
    <>
      <p>The pages stay as they are: the server answers the old addresses with the new files.</p>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p class="help">{undo}</p>
    </>
  );
}

type ServerName = 'nginx' | 'apache' | 'netlify';

const COPY = 'Unpack the package and copy what is in files/ into the document root of the website.';

const SERVERS: Readonly<Record<ServerName, { steps: string[]; undo: string }>> = {
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

const agentPrompt = ({ id, domain }: Pick<SiteScan, 'id' | 'domain'>): string =>
  `Replace the images of ${domain} by those of the Imagecrew package of scan ${id}. Load it with load_replacement_package, find the references, and show me the plan before you change anything.`;
