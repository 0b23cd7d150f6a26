/** Runs one operation on one image. Shows the settings on one side and the result on the other. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { ImagecrewError } from '../../../client/errors.ts';
import { type Values, validationErrors } from '../../parameters/values.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Spinner } from '../../ui/feedback.tsx';
import type { DisplayedImage } from '../../ui/image.ts';
import { Timeline } from '../../ui/lazy-components.tsx';
import { useImage } from '../../ui/use-image.ts';
import { OperationList } from './operation-list.tsx';
import { runsAutomatically } from './operations.ts';
import type { Source } from './request/call.ts';
import { RequestCode } from './request/same-request.tsx';
import { Result } from './result/result.tsx';
import { summaryText } from './result/summary.tsx';
import { Settings } from './settings/settings.tsx';
import { SourceChooser } from './source/source-chooser.tsx';
import { useAddress } from './use-address.ts';
import { useRun } from './use-run.ts';

type Parts = Readonly<Record<string, File>>;

export function TryOut() {
  const address = useAddress();
  const { operation, values } = address;
  const [source, setSource] = useState<Source>();
  const [parts, setParts] = useState<Parts>({});
  const { run, start, cancel, clear } = useRun();
  const file = source?.kind === 'file' ? source.file : undefined;
  const image = useImage(file);
  const settings = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);

  // A new operation discards the last result and keeps the image.
  useEffect(() => {
    clear();
    setParts({});
  }, [operation]);

  const begin = (image: Source | undefined, further: Parts) => {
    if (!image) return;
    if (Object.keys(validationErrors(operation.parameters, values)).length > 0)
      settings.current!.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    else void start({ operation, values, source: image, parts: further });
  };
  const take = (image: Source) => {
    const { mask: _, ...kept } = parts;
    setSource(image);
    setParts(kept);
    address.setUrl(image.kind === 'url' ? image.url : undefined);
    clear();
    if (runsAutomatically(operation, values)) begin(image, kept);
  };

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) begin(source, parts);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });

  const { done, error, isRunning } = run;
  // On a phone, or when scrolled down in the settings, the result would appear out of view.
  useEffect(() => {
    const shown = stage.current!.querySelector(':scope > .result, :scope > .notice.error');
    if (!shown || isRunning) return;
    const { top } = shown.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) shown.scrollIntoView({ block: 'start' });
  }, [done, error, isRunning]);
  const isStale =
    done !== undefined && (done.asked.parts !== parts || JSON.stringify(done.asked.values) !== JSON.stringify(values));
  // The timeline edits settings, so it stays after a run.
  const hasTimeline = operation.id === 'gif' && file !== undefined && Boolean(image);
  return (
    <>
      <OperationList selected={operation} linkTo={address.linkTo} />
      <div class="try">
        <div class="try-stage" ref={stage}>
          <SourceChooser {...{ source, image }} url={address.url} onSource={take} />
          <p class="hidden" role="status">
            {isRunning ? 'Running' : done ? summaryText(done) : ''}
          </p>
          {isRunning && (
            <div class="running row">
              <Spinner label={done ? 'Running again' : 'Running'} />
              <button type="button" onClick={cancel}>
                Cancel
              </button>
            </div>
          )}
          {error !== undefined && <ErrorNotice error={error} />}
          {hasTimeline && <TrimEditor {...{ file, values }} onValues={address.setValues} />}
          {done ? (
            <Result
              {...{ done, image, isStale }}
              isBusy={isRunning}
              onUse={(result) => take({ kind: 'file', file: result })}
              onMask={(mask) => {
                const corrected = { ...parts, mask };
                setParts(corrected);
                begin(source, corrected);
              }}
            />
          ) : (
            source && !hasTimeline && (image || error === undefined) && <SourceView {...{ source, image }} />
          )}
        </div>
        <div class="try-settings" ref={settings}>
          <h2 class="hidden">Settings</h2>
          <Settings
            {...{ operation, values, parts, file, image }}
            onValues={address.setValues}
            onPart={(name, chosen) => {
              const { [name]: _, ...others } = parts;
              setParts(chosen ? { ...others, [name]: chosen } : others);
            }}
            errors={errorsOf(error)}
          />
          <div class="run">
            <button
              type="button"
              class="primary"
              aria-disabled={!source || isRunning}
              onClick={() => {
                if (!isRunning) begin(source, parts);
              }}
            >
              {done ? 'Run again' : 'Run'}
            </button>
            <span class="help">{source ? 'or Ctrl+Enter' : 'First choose an image.'}</span>
          </div>
        </div>
        {source && <RequestCode {...{ operation, values, source, parts }} />}
      </div>
    </>
  );
}

/** Returns the error for the control that it is about. */
const errorsOf = (error: unknown): Record<string, string> =>
  error instanceof ImagecrewError && error.param !== undefined ? { [error.param]: error.message } : {};

/** Shows the source image until there is a result. */
function SourceView({ source, image }: { source: Source; image: DisplayedImage | undefined | null }) {
  if (image === null) return <Spinner label="Loading the image" />;
  if (!image)
    return (
      <p class="card">
        {source.kind === 'url'
          ? 'The service fetches the image when you run the operation.'
          : 'This browser cannot show this file. The service may well read it: run the operation.'}
      </p>
    );
  return (
    <figure class="alone">
      <img src={image.url} alt="Original" width={image.width} height={image.height} />
    </figure>
  );
}

/** Edits the parameters `trim_start` and `trim_end` on a timeline. */
function TrimEditor({ file, values, onValues }: { file: File; values: Values; onValues(values: Values): void }) {
  const { trim_start, trim_end, ...others } = values;
  return (
    <Timeline
      file={file}
      start={typeof trim_start === 'number' ? trim_start : undefined}
      end={typeof trim_end === 'number' ? trim_end : undefined}
      onRange={(start, end) =>
        onValues({
          ...others,
          ...(start === undefined ? {} : { trim_start: start }),
          ...(end === undefined ? {} : { trim_end: end }),
        })
      }
    />
  );
}
