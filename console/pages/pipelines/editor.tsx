/** Edits the pipeline being built, as steps or as JSON. */
import { useState } from 'preact/hooks';
import { Notice, Tag } from '../../ui/feedback.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { isEmpty } from './draft.ts';
import { draft, fault, invalidText, isUnchanged, origin, restore, undo } from './draft-store.ts';
import { JsonTab } from './json-tab.tsx';
import { StepList } from './step-list.tsx';

const TABS = [
  { id: 'steps', title: 'Steps' },
  { id: 'json', title: 'JSON' },
] as const;
type Tab = (typeof TABS)[number]['id'];

export function Editor() {
  const [tab, setTab] = useState<Tab>('steps');
  const { outputs } = draft.value;
  return (
    <section aria-label="The pipeline" class="editor">
      <Title />
      {undo.value && (
        <Notice>
          <div class="row">
            {undo.value.text}{' '}
            <button type="button" onClick={() => restore(undo.value!)}>
              {undo.value.isOfStep ? 'Undo' : 'Bring it back'}
            </button>
          </div>
        </Notice>
      )}
      {fault.value && fault.value.step === undefined && <Notice kind="error">{fault.value.message}</Notice>}
      <Tabs label="The pipeline as" tabs={TABS} selected={tab} onSelect={(id) => setTab(id)}>
        {tab === 'steps' && invalidText.value !== undefined && (
          <Notice kind="warning">
            The text in the JSON tab is no pipeline yet. It is kept there until you change the steps here.
          </Notice>
        )}
        {tab === 'steps' && outputs && (
          <Notice>
            The result is written in {outputs.widths?.length} widths and {outputs.formats?.length} formats. Edit outputs
            in the JSON tab.
          </Notice>
        )}
        {tab === 'steps' ? <StepList /> : <JsonTab />}
      </Tabs>
    </section>
  );
}

function Title() {
  const from = origin.value;
  const hasWork = !isEmpty(draft.value);
  return (
    <div class="row">
      <h2>{from?.name ?? 'New pipeline'}</h2>
      {from && <Tag>{from.version === null ? 'template' : `version ${from.version}`}</Tag>}
      {hasWork && !isUnchanged.value && <Tag kind="warning">{from ? 'changed' : 'not saved'}</Tag>}
    </div>
  );
}
