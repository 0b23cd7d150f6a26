import { useState } from 'preact/hooks';
import { Form, TextField } from '../../../ui/fields.tsx';
import { FileDrop } from '../../../ui/file-drop.tsx';
import { bytesText, countText } from '../../../ui/format.ts';
import type { DisplayedImage } from '../../../ui/image.ts';
import { type Source, sourceName } from '../request/call.ts';
import { SAMPLES } from './samples.ts';

export interface SourceChooserProps {
  source: Source | undefined;
  image: DisplayedImage | undefined | null;
  /** Address of an image from the page's own address. */
  url: string | undefined;
  onSource(source: Source): void;
}

/** Chooses the source image. Shrinks to one line once an image is chosen. */
export function SourceChooser({ source, image, url, onSource }: SourceChooserProps) {
  const take = (file: File) => onSource({ kind: 'file', file });
  return (
    <section class={source ? 'source chosen' : 'source'} aria-label="Image">
      <FileDrop label={source ? 'Another image' : 'Choose an image'} onFiles={([file]) => take(file!)}>
        {source && (
          <p class="source-name">
            <strong>{sourceName(source)}</strong>
            <span class="help">
              {source.kind === 'file' ? bytesText(source.file.size) : new URL(source.url).host}
              {image && `, ${countText(image.width)} × ${countText(image.height)}`}
            </span>
          </p>
        )}
      </FileDrop>
      {!source && (
        <div class="source-others">
          <div>
            <h2>No image at hand?</h2>
            <div class="row">
              {SAMPLES.map(({ title, file }) => (
                <button key={title} type="button" onClick={async () => take(await file())}>
                  {title}
                </button>
              ))}
            </div>
          </div>
          <UrlForm url={url} onUrl={(address) => onSource({ kind: 'url', url: address })} />
        </div>
      )}
    </section>
  );
}

function UrlForm({ url, onUrl }: { url: string | undefined; onUrl(url: string): void }) {
  const [text, setText] = useState(url ?? '');
  const [error, setError] = useState<string>();
  return (
    <Form
      class="url-form"
      noValidate
      onSubmit={() => {
        const address = text.trim();
        if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) onUrl(address);
        else setError(`Expected an http or https address for url but received "${address}".`);
      }}
    >
      <TextField
        label="Or the address of an image"
        type="url"
        placeholder="https://"
        value={text}
        error={error}
        onValue={(value) => {
          setText(value);
          setError(undefined);
        }}
      />
      <button type="submit">Use it</button>
    </Form>
  );
}
