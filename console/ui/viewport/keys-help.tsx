export interface KeysHelpProps {
  /** Id of the text, for the `aria-describedby` of the element with these keys. */
  id: string;
  children: string;
}

/** Explains the keys in a collapsible text. */
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
