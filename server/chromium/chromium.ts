/** The Chromium that is installed on this machine, driven by Playwright. Both are optional. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';

/** In the order of preference; a path in `IC_CHROMIUM` comes before them. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Why no page can be rendered here, as a sentence for the user. */
export class NoChromium {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The path of the program, or undefined where none is installed. */
export function findChromium(env: Environment): string | undefined {
  const programs = env.IC_CHROMIUM
    ? [env.IC_CHROMIUM]
    : PROGRAMS.flatMap((name) => (env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)));
  return programs.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts Chromium without a profile. Whoever calls it closes the browser.
 * @param args further arguments of the program
 */
export async function openChromium(env: Environment, args: readonly string[] = []): Promise<Browser | NoChromium> {
  const executablePath = findChromium(env);
  if (executablePath === undefined) {
    return new NoChromium(
      env.IC_CHROMIUM
        ? `IC_CHROMIUM names ${env.IC_CHROMIUM}, which cannot be run.`
        : 'Chromium was not found: install it, or name it in IC_CHROMIUM.',
    );
  }
  const playwright = await import('playwright-core').catch(() => undefined);
  if (playwright === undefined) {
    return new NoChromium('The package playwright-core was not found: install it beside imagecrew.');
  }
  try {
    // Chromium refuses its sandbox to root.
    return await playwright.chromium.launch({
      executablePath,
      chromiumSandbox: process.getuid?.() !== 0,
      args: [...args],
      // What becomes of this process when it is told to stop is not for the browser to say.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    return new NoChromium(`${executablePath} did not start: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0]!;
}
