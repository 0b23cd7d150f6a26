/** The account page: usage, keys, webhooks and the state of the service. */
import { api, key } from '../../shell/key.ts';
import { NeedsKey } from '../../shell/needs-key.tsx';
import { navigate, route, to } from '../../shell/router.ts';
import { Notice, Spinner, Tag } from '../../ui/feedback.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import './account.css';
import { useData } from '../../ui/use-loaded.ts';
import { Keys } from './keys.tsx';
import type { Usage } from './records.ts';
import { Scopes } from './scopes.tsx';
import { ServicePanel } from './service.tsx';
import { UsagePanel } from './usage.tsx';
import { Webhooks } from './webhooks.tsx';

const TABS = [
  { id: 'usage', title: 'Usage' },
  { id: 'keys', title: 'Keys' },
  { id: 'webhooks', title: 'Webhooks' },
  { id: 'service', title: 'Service' },
] as const;

export default function AccountPage() {
  return (
    <>
      <h1>Account</h1>
      <NeedsKey>
        {/* The key prop discards the content of another key. */}
        <Account key={key.value} />
      </NeedsKey>
    </>
  );
}

function Account() {
  const usage = useData((signal) => api.value.json<Usage>('/api/v1/usage', { signal }), [api.value]);
  const selected = TABS.find(({ id }) => id === route.value.path[1])?.id ?? 'usage';
  return (
    <div class="account">
      {usage.error !== undefined && <Notice error={usage.error}>The account could not be read.</Notice>}
      {usage.value ? <AccountSummary usage={usage.value} /> : usage.error === undefined && <Spinner label="Reading" />}
      {usage.value && (
        <Tabs
          label="About the account"
          tabs={TABS}
          selected={selected}
          onSelect={(id) => navigate(to(['account', id]), { replace: true })}
        >
          {selected === 'usage' && <UsagePanel usage={usage.value} onReload={usage.reload} />}
          {selected === 'keys' && <Keys usage={usage.value} onChanged={usage.reload} />}
          {selected === 'webhooks' && <Webhooks usage={usage.value} />}
          {selected === 'service' && <ServicePanel />}
        </Tabs>
      )}
    </div>
  );
}

function AccountSummary({ usage: { account, key: used } }: { usage: Usage }) {
  return (
    <p class="identity">
      Account <strong>{account.name}</strong> with the plan <Tag>{account.plan}</Tag> by the key{' '}
      <strong>{used.name}</strong>
      {used.mode === 'test' && (
        <>
          , a <Tag kind="warning">test key</Tag>
        </>
      )}
      {used.scopes.length === 0 ? (
        ', without scopes'
      ) : (
        <>
          , with the scopes <Scopes names={used.scopes} />
        </>
      )}
    </p>
  );
}
