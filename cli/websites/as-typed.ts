import { printable } from '../../base/printable.ts';

/** Rewrites setting names in a message to option names. */
export function withOptionNames(message: string): string {
  const typed = message.replaceAll(/\bsettings[.]([a-z_]+)/g, (_, name: string) => `--${name.replaceAll('_', '-')}`);
  return printable(typed);
}
