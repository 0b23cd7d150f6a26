/** Accepts files: chosen, dropped, or pasted anywhere on the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface FileDropProps {
  /** Text of the button. */
  label: string;
  multiple?: boolean;
  onFiles(files: File[]): void;
  /** Additional content. */
  children?: ComponentChildren;
}

export function FileDrop({ label, multiple = false, onFiles, children }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [said, setSaid] = useState('');
  const take = (list: Iterable<File> | null | undefined) => {
    const chosen = [...(list ?? [])];
    const files = chosen.filter(({ size }) => size > 0);
    const isFirstOfMany = !multiple && files.length > 1;
    if (files.length < chosen.length) setSaid('This file is empty.');
    else setSaid(isFirstOfMany ? `One image at a time: the first of ${files.length} was taken.` : '');
    if (files.length > 0) onFiles(multiple ? files : files.slice(0, 1));
  };
  const takeDropped = (transfer: DataTransfer) => {
    const items = [...transfer.items].filter(({ kind }) => kind === 'file');
    const ofFiles = items.filter((item) => item.webkitGetAsEntry()?.isDirectory !== true);
    take(ofFiles.flatMap((item) => item.getAsFile() ?? []));
    // A folder is listed as a file, but cannot be read as one.
    if (ofFiles.length < items.length) setSaid('Folders cannot be used. Open the folder, and drop the images in it.');
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { files, types } = event.clipboardData!;
      // A text pasted into a field is left to the field. Programs put an image of the text on the clipboard too.
      const isText =
        types.includes('text/plain') && event.target instanceof Element && event.target.matches('input, textarea');
      if (files.length > 0 && !isText) take(files);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button in it does the same
    <div
      class={isOver ? 'file-drop over' : 'file-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        takeDropped(event.dataTransfer!);
      }}
    >
      <input
        ref={input}
        class="hidden"
        type="file"
        tabindex={-1}
        aria-label={label}
        multiple={multiple}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // Reset, so that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <button type="button" class="primary" onClick={() => input.current!.click()}>
        {label}
      </button>
      <p class="help">
        or drop {multiple ? 'them' : 'it'} here, or paste {multiple ? 'one' : 'it'}
      </p>
      <p class={said ? 'help' : 'hidden'} role="status">
        {said}
      </p>
      {children}
    </div>
  );
}
