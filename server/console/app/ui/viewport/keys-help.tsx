export interface KeysHelpProps {
  /** Of the text, for what has these keys (`aria-describedby`). */
  id: string;
  children: string;
}

/** What the keys do, for whoever asks. */
export function KeysHelp({ id, children }: KeysHelpProps) {
  return (
    <details class="keys-help">
      <summary>Keys</summary>
      <p id={id} class="help">
        {children}
      </p>
    </details>
  );
}
