/** A real Chromium, for the bench and for the tests of the inspector's page. */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type BrowserServer } from 'playwright-core';

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** A browser starts slowly on a busy machine. */
const LAUNCH_MS_MAX = 180_000;
export const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How to install Chromium; `null` if it is installed. */
export const missing: string | null = existsSync(CHROMIUM)
  ? null
  : `no Chromium at ${CHROMIUM}: install it with apt-get install -y --no-install-recommends chromium, or name yours in the environment variable CHROMIUM`;

export const launch = (): Promise<Browser> => chromium.launch(options());

/** Launches a browser that several processes or threads share. */
export const launchServer = (): Promise<BrowserServer> => chromium.launchServer(options());

/** Launches a browser with a persistent profile. */
export const launchPersistent = (profile: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(profile, { ...options(), headless: true });

function options() {
  if (missing) throw new Error(missing);
  return { executablePath: CHROMIUM, args: ARGS, timeout: LAUNCH_MS_MAX };
}
