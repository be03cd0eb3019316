/**
 * A plugin for Vite: in development every XState actor of the application reports to an inspector, without a change to its code.
 *
 * @module xstate-quiver/inspector/vite
 */
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
}

/**
 * The part of Vite's development server that the plugin uses.
 *
 * @experimental
 */
interface QuiverDevelopmentServer {
  readonly httpServer: { once(event: 'close', listener: () => void): unknown } | null;
  readonly config: { readonly base: string; readonly root: string; readonly logger: { info(text: string): void } };
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
export function quiver({ url = process.env['QUIVER_INSPECT'], name }: QuiverPluginOptions = {}): QuiverPlugin {
  let address = url;
  let base = '/';
  return {
    name: 'quiver',
    apply: (_, { command, mode }) => command === 'serve' && mode !== 'test',
    config: () => ({ optimizeDeps: { include: ['xstate-quiver/inspector/browser'] } }),
    async configureServer({ httpServer, config }) {
      ({ base } = config);
      if (!address) {
        httpServer?.once('close', release);
        address = (await acquire(config.root)).url;
      }
      config.logger.info(`  Quiver inspector: ${address}`);
    },
    resolveId: (id) => (id === MODULE ? MODULE : undefined),
    load: (id) =>
      id === MODULE
        ? `import { inspectAll } from 'xstate-quiver/inspector/browser';\ninspectAll(${JSON.stringify({ url: address, name })});`
        : undefined,
    transformIndexHtml: () => [
      { tag: 'script', attrs: { type: 'module', src: `${base}@id/${MODULE}` }, injectTo: 'head-prepend' },
    ],
  };
}

/** The inspector of this process. When Vite restarts, it configures the next server before it closes the last one. */
let running: Promise<Served> | null = null;
let servers = 0;

function acquire(project: string): Promise<Served> {
  servers++;
  return (running ??= start(project));
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
