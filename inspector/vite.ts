/**
 * A plugin for Vite: in development every XState actor of the application reports to an inspector, without a change to its code.
 *
 * @module xstate-quiver/inspector/vite
 */
import { UsageError } from '../machines/errors.js';
import { absence, readAddress, wrongToken, type InspectorAddress } from './live/address.js';
import type { Served } from './server.js';

/**
 * Where the application reports, and as what.
 *
 * @experimental
 */
interface QuiverPluginOptions {
  /**
   * The address that `quiver explore --live` printed.
   *
   * @defaultValue the environment variable QUIVER_INSPECT, or an inspector that the plugin starts (this needs the package `ws`)
   */
  readonly url?: string;
  /** The name of the application on the page. @defaultValue the title of its document */
  readonly name?: string;
  /** True if viewers of the page may send events to the actors. @defaultValue true if the environment variable QUIVER_REACH is 1 */
  readonly reach?: boolean;
}

/**
 * The part of Vite's development server that the plugin uses.
 *
 * @experimental
 */
interface QuiverDevelopmentServer {
  readonly httpServer: { once(event: 'close', listener: () => void): unknown } | null;
  readonly config: {
    readonly base: string;
    readonly root: string;
    readonly logger: { info(text: string): void; warn(text: string): void };
  };
  printUrls(): void;
}

/**
 * A plugin as Vite takes it.
 *
 * @experimental
 */
interface QuiverPlugin {
  readonly name: 'quiver';
  readonly apply: (config: unknown, env: { readonly command: string; readonly mode: string }) => boolean;
  readonly config: () => { readonly optimizeDeps: { readonly include: string[] } };
  configureServer(server: QuiverDevelopmentServer): Promise<void>;
  resolveId(id: string): string | undefined;
  load(id: string): string | undefined;
  transformIndexHtml(): { tag: string; attrs: Record<string, string>; injectTo: 'head-prepend' }[];
}

const MODULE = 'virtual:quiver-inspector';

/**
 * Reports every XState actor of an application to an inspector while Vite serves it in development. A build and tests are unchanged.
 *
 * @param options the address of the inspector, and the name of the program.
 * @returns a plugin of Vite.
 * @example
 * ```ts
 * // vite.config.ts
 * import { quiver } from 'xstate-quiver/inspector/vite';
 *
 * export default { plugins: [quiver()] };
 * ```
 * @experimental
 */
export function quiver({
  url = process.env['QUIVER_INSPECT'],
  name,
  reach = process.env['QUIVER_REACH'] === '1',
}: QuiverPluginOptions = {}): QuiverPlugin {
  /** Without an inspector, `null`: the application is served unchanged. */
  let address: string | null = null;
  let base = '/';
  return {
    name: 'quiver',
    apply: (_, { command, mode }) => command === 'serve' && mode !== 'test',
    config: () => ({ optimizeDeps: { include: ['xstate-quiver/inspector/browser'] } }),
    async configureServer(server) {
      const { config, httpServer } = server;
      ({ base } = config);
      const warn = (text: string) => config.logger.warn(`Quiver inspector: ${text}`);
      try {
        if (url) void problemAt(readAddress('quiver', url)).then((problem) => problem === null || warn(problem));
        else httpServer?.once('close', release);
        address = url || (await acquire(config.root)).url;
        announce(server, address);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        warn(`not started. ${error.message}`);
      }
    },
    resolveId: (id) => (id === MODULE ? MODULE : undefined),
    load: (id) =>
      id === MODULE
        ? `import { inspectAll } from 'xstate-quiver/inspector/browser';\ninspectAll(${JSON.stringify({ url: address, name, reach })});`
        : undefined,
    transformIndexHtml: () =>
      address === null
        ? []
        : [{ tag: 'script', attrs: { type: 'module', src: `${base}@id/${MODULE}` }, injectTo: 'head-prepend' }],
  };
}

/** Prints the address with those of Vite, which clears the screen before it prints them. A server within another one prints none. */
function announce(server: QuiverDevelopmentServer, address: string): void {
  const print = () => server.config.logger.info(`  ➜  Quiver inspector: ${address}`);
  if (!server.httpServer) return print();
  const { printUrls } = server;
  server.printUrls = () => {
    printUrls();
    print();
  };
}

/** The problem that keeps programs from reporting to an address, or `null`. */
async function problemAt(address: InspectorAddress): Promise<string | null> {
  try {
    const { ok } = await fetch(`${address.page}written`);
    return ok ? null : wrongToken(address);
  } catch {
    return absence(address);
  }
}

/** The inspector of this process. When Vite restarts, it configures the next server before it closes the last one. */
let running: Promise<Served> | null = null;
let servers = 0;

function acquire(project: string): Promise<Served> {
  servers++;
  return (running ??= start(project).catch((error: unknown) => {
    running = null;
    throw error;
  }));
}

function release(): void {
  if (--servers > 0) return;
  void running?.then(({ close }) => close());
  running = null;
}

async function start(project: string): Promise<Served> {
  const [{ receiveInspection }, { keepAddress, lastAddress }] = await Promise.all([
    import('./stately/receive.js'),
    import('./live/last-address.js'),
  ]);
  const address = lastAddress(project);
  const served = await receiveInspection(address === undefined ? {} : { address });
  keepAddress(project, served.url);
  return served;
}
