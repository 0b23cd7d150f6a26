/** The pipelines page: builds, tests and saves a pipeline. */
import { key } from '../../shell/key.ts';
import { NeedsKey } from '../../shell/needs-key.tsx';
import { Editor } from './editor.tsx';
import { Library } from './library.tsx';
import './pipelines.css';
import { SaveForm } from './save-form.tsx';
import { TryOut } from './try-out.tsx';
import { usePipelines } from './use-pipelines.ts';

export default function PipelinesPage() {
  return (
    <>
      <h1>Pipelines</h1>
      <NeedsKey>
        {/* The key prop discards the content of another key. */}
        <Pipelines key={key.value} />
      </NeedsKey>
    </>
  );
}

function Pipelines() {
  const pipelines = usePipelines();
  return (
    <div class="pipelines">
      <Library {...pipelines} />
      <div class="stack">
        <Editor />
        <TryOut />
        <SaveForm {...pipelines} />
      </div>
    </div>
  );
}
