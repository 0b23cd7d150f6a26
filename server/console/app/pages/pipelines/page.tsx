/** Build a pipeline step by step, see what it would do and what it does, and save it. */
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
        {/* Of another key nothing is shown any more. */}
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
