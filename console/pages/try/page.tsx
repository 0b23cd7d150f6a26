import { NeedsKey } from '../../shell/needs-key.tsx';
import './try.css';
import { TryOut } from './try-out.tsx';

export default function TryPage() {
  return (
    <div class="try-page">
      <h1>Try</h1>
      <NeedsKey>
        <TryOut />
      </NeedsKey>
    </div>
  );
}
