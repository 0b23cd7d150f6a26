/** Starts the Chromium installed on this machine through Playwright. Both are optional. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';

/** In order of preference. A path in `IC_CHROMIUM` takes precedence. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The reason why no page can be rendered here, as a sentence for the user. */
export class ChromiumUnavailable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The path of the program; undefined when none is installed. */
export function findChromium(env: Environment): string | undefined {
  const programs = env.IC_CHROMIUM
    ? [env.IC_CHROMIUM]
    : PROGRAMS.flatMap((name) => folders(env.PATH).map((folder) => join(folder, name)));
  return programs.find(isExecutable);
}

/** Without empty ones, which would be the working directory: that of the repository has a folder `chromium`. */
const folders = (path = ''): string[] => path.split(delimiter).filter(Boolean);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts Chromium without a profile. The caller must close the browser.
 * @param args further command line arguments
 */
export async function openChromium(
  env: Environment,
  args: readonly string[] = [],
): Promise<Browser | ChromiumUnavailable> {
  const executablePath = findChromium(env);
  if (executablePath === undefined) {
    return new ChromiumUnavailable(
      env.IC_CHROMIUM
        ? `IC_CHROMIUM names ${env.IC_CHROMIUM}, which cannot be run.`
        : 'Chromium was not found: install it, or name it in IC_CHROMIUM.',
    );
  }
  const playwright = await import('playwright-core').catch(() => undefined);
  if (playwright === undefined) {
    return new ChromiumUnavailable('The package playwright-core was not found: install it beside imagecrew.');
  }
  try {
    // Chromium refuses to use its sandbox as root.
    return await playwright.chromium.launch({
      executablePath,
      chromiumSandbox: process.getuid?.() !== 0,
      args: [FEWER_FEATURES, ...args],
      // Signals are handled by this process, not by the browser.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    return new ChromiumUnavailable(`${executablePath} did not start: ${firstLine(error)}`);
  }
}

const firstLine = (error: unknown): string => String(error instanceof Error ? error.message : error).split('\n')[0]!;

/** Chromium heeds only the last `--disable-features`, so the features that Playwright disables are repeated. */
const DISABLED_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

const DISABLED_FEATURES = [
  ...DISABLED_BY_PLAYWRIGHT,
  // The suggestions of the address bar are two more pages in every window, even without a display.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // A process that waits for the next page, which a short session rarely needs.
  'SpareRendererForSitePerProcess',
];

/** Argument with which a new page takes 0.8 s of processor time instead of 2.1 s (Chromium 156, median of ten pages). */
export const FEWER_FEATURES = `--disable-features=${DISABLED_FEATURES.join()}`;

/**
 * Arguments that start Chromium without a network: no host name resolves and the proxy does not exist, so that only the
 * responses from Playwright are available. WebRTC must be restricted separately because it sends datagrams past a
 * proxy.
 */
export const NO_NETWORK: readonly string[] = [
  '--proxy-server=http://proxy.invalid:80',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];
