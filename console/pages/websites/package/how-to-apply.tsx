import { useState } from 'preact/hooks';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import type { SiteScan } from '../types.ts';
import { agentConfiguration, agentPrompt, SERVERS, type ServerName } from './apply-texts.ts';

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
      <CodeBlock label="Configuration of the agent" text={agentConfiguration(location.origin)} />
      <p>2. Ask it:</p>
      <CodeBlock label="What to ask the agent" text={agentPrompt(scan)} />
      <p class="help">
        The server runs by <code>imagecrew mcp --root .</code>, the installed program. Without a server, the agent can
        follow <code>AGENT.md</code> of the package.
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
