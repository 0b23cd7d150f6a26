/** The form of an address, with the image that it gives. */
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../shell/key.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice, Spinner } from '../../ui/feedback.tsx';
import { Form, SelectField, TextField } from '../../ui/fields.tsx';
import { bytesText } from '../../ui/format.ts';
import { useAction } from '../../ui/use-latest.ts';
import { type AddressDraft, EMPTY_DRAFT, FITS, FORMATS, type Markup, markupOf } from './draft.ts';

interface Made extends Markup {
  /** Address of the bytes in this browser. */
  url: string;
  format: string;
  bytes: number;
  width: string;
  height: string;
  cache: string;
}

/** Browsers sign only on pages from https or from this machine. */
const CAN_SIGN = globalThis.isSecureContext;

export function AddressBuilder({ keyId, apiKey, onMade }: { keyId: string; apiKey: string; onMade(): void }) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [made, setMade] = useState<Made>();
  const { isBusy, error, run } = useAction();
  const set = (changes: Partial<AddressDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const url = made?.url;
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);

  const make = () =>
    run(async (signal) => {
      const markup = await markupOf(location.origin, { id: keyId, key: apiKey }, draft);
      const response = await api.value.send(markup.address.slice(location.origin.length), { signal });
      const blob = await response.blob();
      const header = (name: string) => response.headers.get(name) ?? '';
      setMade({
        ...markup,
        ...{ url: URL.createObjectURL(blob), bytes: blob.size, format: header('X-IC-Format') },
        ...{ width: header('X-IC-Width'), height: header('X-IC-Height'), cache: header('X-IC-Cache') },
      });
      onMade();
    });

  return (
    <section class="card" aria-labelledby="new-address">
      <h2 id="new-address">An address</h2>
      {!CAN_SIGN && (
        <Notice>
          Open the console over https, or on the machine of the service, to sign addresses here.{' '}
          <code>imagecrew sign</code> does it anywhere.
        </Notice>
      )}
      <Form class="address-form" onSubmit={() => void make()}>
        <TextField
          label="Original image"
          help="An address, or store:NAME/PATH for a folder of the operator."
          placeholder="https://"
          required
          value={draft.source}
          onValue={(source) => set({ source })}
        />
        <div class="row">
          <TextField label="Width" type="number" min={1} value={draft.width} onValue={(width) => set({ width })} />
          <TextField label="Height" type="number" min={1} value={draft.height} onValue={(height) => set({ height })} />
          <SelectField label="Fit" value={draft.fit} options={FITS} onValue={(fit) => set({ fit })} />
          <SelectField label="Format" value={draft.format} options={FORMATS} onValue={(format) => set({ format })} />
          <TextField label="Quality" value={draft.quality} onValue={(quality) => set({ quality })} />
        </div>
        <TextField
          label="More options"
          help="Pairs with commas between them, such as r:90,border:2."
          value={draft.others}
          onValue={(others) => set({ others })}
        />
        <button type="submit" class="primary" disabled={isBusy || !CAN_SIGN || draft.source.trim() === ''}>
          Make the image
        </button>
        {isBusy && <Spinner label="Making the image" />}
      </Form>
      {error !== undefined && <ErrorNotice error={error}>The image could not be made.</ErrorNotice>}
      {made && <MadeImage made={made} />}
    </section>
  );
}

/** What `X-IC-Cache` means. */
const CACHE_TEXTS: Readonly<Record<string, string>> = {
  hit: 'came from the cache',
  miss: 'was made',
  stale: 'has expired and is made again',
};

function MadeImage({ made }: { made: Made }) {
  return (
    <div class="made" aria-live="polite">
      <img src={made.url} alt="What this address gives" />
      <Facts
        class="facts"
        facts={[
          ['Format', made.format],
          ['Size', bytesText(made.bytes)],
          ['Pixels', `${made.width} × ${made.height}`],
          ['This request', CACHE_TEXTS[made.cache]],
        ]}
      />
      <h3>Address</h3>
      <CodeBlock label="Address" text={made.address} />
      <h3>For a page</h3>
      <CodeBlock label="Markup" text={made.image} />
    </div>
  );
}
