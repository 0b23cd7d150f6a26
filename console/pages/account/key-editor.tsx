/** The form that creates or changes a key. */
import { useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { Notice } from '../../ui/feedback.tsx';
import { Field, Form, SelectField, Switch, TextField } from '../../ui/fields.tsx';
import { useAction } from '../../ui/use-latest.ts';
import { type KeyDraft, NEW_KEY, toCreateBody, toDraft, toUpdateBody } from './key-draft.ts';
import { type Key, SCOPES } from './records.ts';

const SCOPE_TEXTS = {
  ai: 'Operations that run a model.',
  sites: 'Scans of websites.',
  admin: 'Keys and the webhook secret of the account.',
} as const;

export interface KeyEditorProps {
  /** The key to change. Without it, the form creates a key. */
  of?: Key;
  onDone(key: Key): void;
}

export function KeyEditor({ of, onDone }: KeyEditorProps) {
  const [draft, setDraft] = useState<KeyDraft>(of ? toDraft(of) : NEW_KEY);
  const { isBusy, error, run } = useAction();
  const change = (part: Partial<KeyDraft>) => setDraft((before) => ({ ...before, ...part }));
  const send = async () => {
    const path = of ? `/api/v1/keys/${of.id}` : '/api/v1/keys';
    const body = JSON.stringify(of ? toUpdateBody(draft) : toCreateBody(draft));
    const headers = { 'Content-Type': 'application/json' };
    onDone(await api.value.json<Key>(path, { method: of ? 'PATCH' : 'POST', body, headers }));
  };
  return (
    <Form onSubmit={() => isBusy || void run(send)}>
      <TextField
        label="Name"
        help="What the key is for."
        value={draft.name}
        maxLength={60}
        required
        onValue={(name) => change({ name })}
      />
      {!of && (
        <SelectField
          label="Kind"
          value={draft.mode}
          options={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test: uses no quota, takes small files only' },
          ]}
          onValue={(mode) => change({ mode })}
        />
      )}
      <fieldset>
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <Switch
            key={scope}
            label={scope}
            help={SCOPE_TEXTS[scope]}
            isOn={draft.scopes.includes(scope)}
            onValue={(isOn) =>
              change({ scopes: SCOPES.filter((one) => (one === scope ? isOn : draft.scopes.includes(one))) })
            }
          />
        ))}
      </fieldset>
      {draft.mode === 'live' && (
        <TextField
          label="Limit a month"
          help="Requests and AI requests together. Empty: only the limits of the plan."
          type="number"
          min={1}
          step={1}
          value={draft.monthlyLimit}
          onValue={(monthlyLimit) => change({ monthlyLimit })}
        />
      )}
      {!of && (
        <Field label="Last day" help="The key ends with this day. Empty: it does not end.">
          {(described) => (
            <input
              {...described}
              type="date"
              value={draft.expires}
              onInput={({ currentTarget }) => change({ expires: currentTarget.value })}
            />
          )}
        </Field>
      )}
      {error !== undefined && <Notice error={error} />}
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {of ? 'Save' : 'Make the key'}
      </button>
    </Form>
  );
}
