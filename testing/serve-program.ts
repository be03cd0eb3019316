/** A page for a browser, with a program that imports the product: bundled from its sources, and served on loopback. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build, type Rolldown } from 'vite';

export interface ServedProgram {
  readonly origin: string;
  readonly close: () => void;
}

/**
 * Serves a page that runs a program.
 *
 * @param program JavaScript that imports modules by their absolute paths.
 */
export async function serveProgram(program: string): Promise<ServedProgram> {
  const [entry, resolved] = ['virtual:program', '\0program'];
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      // A program may import a module only for its effects, which package.json excludes for modules of the product.
      rolldownOptions: { input: entry, output: { format: 'iife' }, treeshake: false },
    },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? resolved : null),
        load: (id) => (id === resolved ? program : null),
      },
    ],
  })) as Rolldown.RolldownOutput;
  const code = output.flatMap((part) => (part.type === 'chunk' ? [part.code] : [])).join('\n');
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(`<script>${code}</script>`),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}
