import { Tag } from '../../ui/feedback.tsx';
import { countText, timeText } from '../../ui/format.ts';
import { keyState } from './key-draft.ts';
import type { Key } from './records.ts';
import { Scopes } from './scopes.tsx';

interface KeyTableProps {
  keys: readonly Key[];
  /** Id of the key that this browser uses. */
  inUse: string;
  onChange(key: Key): void;
  onRevoke(key: Key): void;
}

/** Lists the keys, active ones first. */
export function KeyTable({ keys, inUse, onChange, onRevoke }: KeyTableProps) {
  const now = Date.now();
  const ended = keys.filter((key) => keyState(key, now) !== 'active');
  const active = keys.filter((key) => !ended.includes(key));
  return (
    <ul class="keys">
      {[...active, ...ended].map((key) => (
        <KeyRow
          key={key.id}
          of={key}
          state={keyState(key, now)}
          isInUse={key.id === inUse}
          onChange={() => onChange(key)}
          onRevoke={() => onRevoke(key)}
        />
      ))}
    </ul>
  );
}

interface KeyRowProps {
  of: Key;
  state: ReturnType<typeof keyState>;
  isInUse: boolean;
  onChange(): void;
  onRevoke(): void;
}

function KeyRow({ of: key, state, isInUse, onChange, onRevoke }: KeyRowProps) {
  return (
    <li class={`card key ${state}`}>
      <div class="key-name">
        <h3>{key.name}</h3>
        <code>{key.prefix}…</code>
        {isInUse && <Tag kind="success">in use here</Tag>}
        {key.mode === 'test' && <Tag kind="warning">test</Tag>}
        {state !== 'active' && <Tag kind="error">{state}</Tag>}
      </div>
      {key.scopes.length === 0 ? <span class="help">no scopes</span> : <Scopes names={key.scopes} />}
      <p class="key-facts help">
        {countText(key.used)}
        {key.monthly_limit !== null && ` of ${countText(key.monthly_limit)}`} requests this month
        {' · '}
        {key.last_used_at === null ? 'never used' : `last used ${timeText(key.last_used_at)}`}
        {' · '}made {timeText(key.created_at)}
        {key.revoked_at !== null && ` · revoked ${timeText(key.revoked_at)}`}
        {key.revoked_at === null &&
          key.expires_at !== null &&
          ` · ${state === 'expired' ? 'ended' : 'ends'} ${timeText(key.expires_at)}`}
      </p>
      {state !== 'revoked' && (
        <div class="key-actions">
          <button type="button" onClick={onChange} aria-label={`Change ${key.name}`}>
            Change
          </button>
          <button type="button" class="danger" onClick={onRevoke} aria-label={`Revoke ${key.name}`}>
            Revoke
          </button>
        </div>
      )}
    </li>
  );
}
