/**
 * Bundle contents: an application needs only the core of a protocol. Bundled for a browser, an adapter contains no properties, samples,
 * systems, bounds or pictures.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files of `machines/` of which something is in the bundle of a program. */
async function carried(program: string): Promise<string[]> {
  const entry = 'virtual:program';
  const { output } = (await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: { write: false, minify: false, rolldownOptions: { input: entry, external: [/^node:/], treeshake: true } },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? `${root}program.ts` : null),
        load: (id) => (id === `${root}program.ts` ? program : null),
      },
    ],
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((part) => part.type === 'chunk');
  return chunks.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([id, { renderedLength }]) =>
      renderedLength > 0 && id.startsWith(`${root}machines/`) ? [id.slice(root.length)] : [],
    ),
  );
}

const FOR_CHECKS_AND_VIEWS = /\/(account|properties|samples|systems|overlay|corruption|times|stability|meters|counts|stuck)\.ts$/;

const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};
const OF_ADAPTERS = /^\.\/(locks|election|quota|names|bank|register|neighborhood|cluster|node|transports|storage)(\/|$)/;
const adapters = Object.entries(exports).flatMap(([name, target]) =>
  OF_ADAPTERS.test(name) ? [[name, target.default.replace('./dist/', './').replace(/js$/, 'ts')] as const] : [],
);

const using = (sources: readonly string[]): string =>
  sources.map((source, i) => `import * as adapter${i} from ${JSON.stringify(source)};\nconsole.log(adapter${i});`).join('\n');

test('no adapter contains code for checks and views', async () => {
  const tooMuch = async (sources: readonly string[]) =>
    (await carried(using(sources))).filter((file) => FOR_CHECKS_AND_VIEWS.test(file));
  // Eleven products, and three of them with an entry for Node or for conformance.
  expect(adapters.length).toBeGreaterThanOrEqual(14);
  // One bundle of all adapters contains all modules. Only if it is too large is each adapter measured.
  if ((await tooMuch(adapters.map(([, source]) => source))).length === 0) return;
  const shares = await Promise.all(adapters.map(async ([name, source]) => [name, await tooMuch([source])] as const));
  expect(shares.filter(([, files]) => files.length > 0)).toEqual([]);
  expect.unreachable('the common bundle contains a module that no single bundle contains');
});

test('the check works: a whole protocol contains them all', async () => {
  const files = await carried("import { directory } from './machines/directory/index.ts';\nconsole.log(directory);");
  expect(files.filter((file) => FOR_CHECKS_AND_VIEWS.test(file))).toEqual([
    'machines/stuck.ts',
    'machines/directory/account.ts',
    'machines/directory/corruption.ts',
    'machines/directory/properties.ts',
    'machines/directory/samples.ts',
  ]);
});
