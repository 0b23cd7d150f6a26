import { useEffect, useState } from 'preact/hooks';
import { CodeBlock } from '../code-block.tsx';
import { Notice, Spinner } from '../feedback.tsx';
import { bytesText } from '../format.ts';
import { Bookmarks, HomeScreen, StartScreen, Tab } from './mockups.tsx';
import { type DisplayedPack, type Pack, readPack } from './pack.ts';
import './favicon.css';
import { Table } from '../table.tsx';

export interface FaviconPreviewProps {
  /** The ZIP that the favicon operation returns. */
  pack: Blob;
}

/** Shows the icons of a pack where they are used: on a tab, among bookmarks, on a home screen. */
export function FaviconPreview({ pack }: FaviconPreviewProps) {
  const shown = useShownPack(pack);
  if (!shown) return <Spinner label="Unpacking the icons" />;
  if (shown instanceof Error) return <Notice error={shown} />;
  const { icons, url } = shown;
  return (
    <div class="favicon-preview">
      <div class="scenes">
        <div>
          <figure>
            <figcaption>Browser tabs</figcaption>
            <Tab pack={shown} scheme="light" />
            <Tab pack={shown} scheme="dark" />
          </figure>
          <figure>
            <figcaption>Bookmarks</figcaption>
            <Bookmarks pack={shown} />
          </figure>
        </div>
        <div>
          <figure>
            <figcaption>iPhone and iPad</figcaption>
            <HomeScreen name={shown.shortName} icons={[{ url: url(icons.apple), mask: 'apple' }]} />
          </figure>
          <figure>
            <figcaption>Android, in two of its shapes</figcaption>
            <HomeScreen
              name={shown.shortName}
              icons={[
                { url: url(icons.maskable), mask: 'circle' },
                { url: url(icons.maskable), mask: 'squircle' },
              ]}
            />
          </figure>
        </div>
        <figure>
          <figcaption>While the installed site starts</figcaption>
          <StartScreen pack={shown} />
        </figure>
      </div>
      <h2>Lines for the head of every page</h2>
      <CodeBlock text={shown.html} label="Lines for the head of every page" />
      <h2>Files</h2>
      <FileTable pack={shown} />
    </div>
  );
}

function useShownPack(pack: Blob): DisplayedPack | Error | undefined {
  const [shown, setShown] = useState<DisplayedPack | Error>();
  useEffect(() => {
    let isWanted = true;
    let urls = new Map<string, string>();
    setShown(undefined);
    unpack(pack).then(
      (read) => {
        if (!isWanted) return;
        urls = new Map([...read.files].filter(([name]) => name.endsWith('.png')).map(toImageUrl));
        setShown({ ...read, url: (name) => (name === undefined ? undefined : urls.get(name)) });
      },
      () => isWanted && setShown(new Error('Expected a ZIP with icons but received something else.')),
    );
    return () => {
      isWanted = false;
      for (const url of urls.values()) URL.revokeObjectURL(url);
    };
  }, [pack]);
  return shown;
}

async function unpack(pack: Blob): Promise<Pack> {
  const { unzip } = await import('fflate');
  const bytes = new Uint8Array(await pack.arrayBuffer());
  return new Promise((resolve, reject) =>
    unzip(bytes, (error, entries) => {
      if (error) return reject(error);
      try {
        resolve(readPack(entries));
      } catch (wrong) {
        reject(wrong);
      }
    }),
  );
}

const toImageUrl = ([name, bytes]: [string, Uint8Array<ArrayBuffer>]): [string, string] => [
  name,
  URL.createObjectURL(new Blob([bytes], { type: 'image/png' })),
];

function FileTable({ pack: { files, url } }: { pack: DisplayedPack }) {
  return (
    <Table
      label="Files of the pack"
      columns={['File', ['Size', 'file-size']]}
      rows={[...files].map(([name, bytes]) => [
        <span key={name} class="file-name">
          {url(name) ? <img src={url(name)} alt="" /> : <span class="no-image" />}
          {name}
        </span>,
        bytesText(bytes.length),
      ])}
    />
  );
}
