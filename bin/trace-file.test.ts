/** The ending of a file determines the format, for every command that writes traces. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { UsageError } from '../machines/errors.js';
import { called } from './called.fixture.js';
import check from './commands/check.js';
import explore from './commands/explore.js';
import run from './commands/run.js';
import tests from './commands/test.js';

const { inFolder, printed } = called();

const deadlock = {
  protocol: 'exclusion',
  topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
  options: { priorities: 2, rules: 'printed' },
  events: ['n0', 'n1'].map((node) => ({ at: 0, node, do: 'lock' })),
};
const scenario = inFolder('deadlock.json', JSON.stringify(deadlock));

/** The lines of the trace that a page holds. */
function traceIn(page: string): any[] {
  const [, data = ''] = /<script type="application\/gzip" id="trace">([^<]*)<\/script>/.exec(readFileSync(page, 'utf8'))!;
  const text = gunzipSync(Buffer.from(data, 'base64')).toString('utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as unknown);
}

test('a counterexample as a page that contains the same trace', async () => {
  const [page, trace] = [inFolder('failure.html'), inFolder('failure.ndjson')];
  expect(await check({ trace: page }, [scenario])).toBe(1);
  await check({ trace }, [scenario]);
  expect(traceIn(page)).toEqual(
    readFileSync(trace, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  );
  expect(traceIn(page)[0].refutes.property).toBe('every request succeeds');
  const saved = inFolder('saved.html');
  expect(await explore({ save: saved }, [trace])).toBe(0);
  expect(readFileSync(saved, 'utf8')).toBe(readFileSync(page, 'utf8'));
});

test('the way to a failure of a machine', async () => {
  const xstate = JSON.stringify(import.meta.resolve('xstate'));
  const machine = inFolder(
    'door.mjs',
    `import { setup } from ${xstate};
export default setup({ actions: { creak: () => { throw new Error('it creaks'); } } }).createMachine({
  id: 'door', initial: 'shut', states: { shut: { on: { unlock: 'ajar' } }, ajar: { on: { open: { target: 'shut', actions: 'creak' } } } },
});`,
  );
  const page = inFolder('door.html');
  expect(await tests({ trace: page }, [machine])).toBe(1);
  const [header, ...lines] = traceIn(page);
  expect(Object.keys(header.charts)).toEqual(['door']);
  expect(lines.map(({ event }) => event.type)).toEqual(['start', 'unlock', 'open']);
});

test('a run as other tools read it', async () => {
  const log = inFolder('run.shiviz.log');
  await run({ trace: log }, [scenario]);
  expect(readFileSync(log, 'utf8')).toMatch(/^\(\?<event>/);
  await explore({ save: inFolder('run.svg') }, [scenario]);
  expect(printed.at(-1)).toBe(`written: ${inFolder('run.svg')}`);
});

test('a link stays a link, a pipe a pipe, and a folder is refused', async () => {
  const [file, link, pipe] = [inFolder('kept.ndjson', ''), inFolder('link.ndjson'), inFolder('pipe')];
  symlinkSync(file, link);
  await run({ trace: link }, [scenario]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toMatch(/^\{"quiver":/);
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const reader = spawn('cat', [pipe]);
  const text = readAll(reader.stdout);
  await run({ trace: pipe }, [scenario]);
  expect(await text).toBe(readFileSync(file, 'utf8'));
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  await expect(run({ trace: dirname(file) }, [scenario])).rejects.toThrow(/it is a folder\. Choose a file\./);
  await expect(run({ trace: '-' }, [scenario])).rejects.toThrow('Cannot write "-": it is not a file name. Choose a file.');
});

test('a name without a known ending, or a missing trace, writes nothing', async () => {
  const path = inFolder('run.txt');
  await expect(explore({ save: path }, [scenario])).rejects.toThrow(
    /--save needs a scenario or a trace, and a file name that ends with one of \.html, \.svg, \.shiviz\.log: npx quiver explore run\.ndjson --save run\.html/,
  );
  await expect(explore({ save: inFolder('no.html') }, [])).rejects.toThrow(
    /--save needs a scenario or a trace, and a file name that ends with one of/,
  );
  const cut = inFolder('cut.ndjson', '{"quiver":99,"nodes":[]}\n');
  await expect(explore({ save: inFolder('no.html') }, [cut])).rejects.toThrow(/cut\.ndjson: .*version 99/);
  expect([path, inFolder('no.html')].filter((one) => existsSync(one))).toEqual([]);
});

test('a truncated trace is not written as if complete; the error has the remedy', async () => {
  const whole = inFolder('whole.ndjson');
  await run({ trace: whole }, [scenario]);
  const text = readFileSync(whole, 'utf8');
  const lines = text.trimEnd().split('\n').length;
  const cut = inFolder('cut-off.ndjson', text.slice(0, -5));
  const page = inFolder('cut-off.html');
  const head = `head -n ${lines - 1} ${cut} > whole.ndjson`;
  await expect(explore({ save: page }, [cut])).rejects.toThrow(
    new UsageError(
      `${cut}: The trace ends in the middle of line ${lines}: it was cut off. Nothing was written. To keep the intact lines before it: ${head}`,
    ),
  );
  expect(existsSync(page)).toBe(false);
  inFolder(
    'cut-off.ndjson',
    text
      .split('\n')
      .slice(0, lines - 1)
      .join('\n'),
  );
  expect(await explore({ save: page }, [cut])).toBe(0);
  expect(traceIn(page)).toHaveLength(lines - 1);
});
