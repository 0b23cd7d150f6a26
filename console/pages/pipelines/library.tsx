/** Lists the saved pipelines of the account and the templates. */
import { useState } from 'preact/hooks';
import type { Pipeline, SavedPipeline } from '../../../client/types.generated.ts';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { EMPTY, toDraft } from './draft.ts';
import { open, origin } from './draft-store.ts';
import { opName } from './labels.ts';
import type { Pipelines } from './use-pipelines.ts';

/** From this width on, the list is beside the editor. */
const WIDE_MEDIA_QUERY = '(min-width: 64rem)';

export function Library({ saved, templates, error }: Pipelines) {
  // On a phone, an open list would hide the pipeline being edited.
  const [isOpen, setOpen] = useState(matchMedia(WIDE_MEDIA_QUERY).matches);
  const opened = () => setOpen(matchMedia(WIDE_MEDIA_QUERY).matches);
  return (
    <details class="library" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Open a pipeline</summary>
      <button type="button" onClick={() => open(EMPTY)}>
        New pipeline
      </button>
      {error !== undefined && <Notice error={error}>The pipelines could not be read.</Notice>}
      {!saved && error === undefined && <Spinner label="Reading" />}
      {saved && (
        <>
          <h2>Saved</h2>
          {saved.length === 0 && <p class="help">None yet. Build one and save it under a name.</p>}
          <ul>
            {saved.map((pipeline) => (
              <Entry key={pipeline.name} pipeline={pipeline} version={pipeline.version} onOpened={opened} />
            ))}
          </ul>
          <h2>Templates</h2>
          <ul>
            {templates.map((pipeline) => (
              <Entry key={pipeline.name} pipeline={pipeline} version={null} onOpened={opened} />
            ))}
          </ul>
        </>
      )}
    </details>
  );
}

interface EntryProps {
  pipeline: (Pipeline | SavedPipeline) & { name: string };
  version: number | null;
  onOpened(): void;
}

function Entry({ pipeline: { name, description, output_name, steps }, version, onOpened }: EntryProps) {
  const isOpened = origin.value?.name === name;
  return (
    <li>
      <button
        type="button"
        class="entry"
        aria-pressed={isOpened}
        onClick={() => {
          // A template's name is reserved, so its copy needs another name.
          const opened = toDraft({ description, output_name, steps, name: version === null ? '' : name });
          open(opened, { name, version });
          onOpened();
        }}
      >
        <span class="entry-name">
          {name}
          {version !== null && <small> version {version}</small>}
        </span>
        {description && <span class="help">{description}</span>}
        <span class="entry-steps help">{steps.map(({ op }) => opName(op)).join(' → ')}</span>
      </button>
    </li>
  );
}
