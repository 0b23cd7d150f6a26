import type { ComponentChildren } from 'preact';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/feedback.tsx';
import type { Usage } from './records.ts';

interface NeedsAdminProps {
  usage: Usage;
  /** What the content manages, for example `Keys`. */
  what: string;
  children: ComponentChildren;
}

/** Shows its content if the key has the scope `admin`, and otherwise how to get such a key. */
export function NeedsAdmin({ usage: { account, key }, what, children }: NeedsAdminProps) {
  if (key.mode === 'live' && key.scopes.includes('admin')) return <>{children}</>;
  return (
    <>
      <Notice kind="warning">
        {what} {key.mode === 'test' ? 'cannot be seen with a test key.' : 'can be seen with the scope admin only.'} Who
        runs the service can make a live key that has it:
      </Notice>
      <CodeBlock
        label="Command that makes a key"
        text={`imagecrew admin key create --account ${shellWord(account.name)} --scopes ai,sites,admin`}
      />
    </>
  );
}

const shellWord = (text: string): string => (/^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
