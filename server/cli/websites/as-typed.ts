import { printable } from '../images/texts.ts';

/** A setting is an option here. */
export function asTyped(message: string): string {
  const typed = message.replaceAll(/\bsettings[.]([a-z_]+)/g, (_, name: string) => `--${name.replaceAll('_', '-')}`);
  return printable(typed);
}
