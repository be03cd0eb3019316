/**
 * Every rule of the hub, the mesh, the seal and what they read with is broken once, in a copy of the source, and the test that is named for
 * it fails. First the same tests pass on the copy as it is: a name that matches nothing, or a test that always fails, kills no mutant.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What the code says, what the mutant says, and the test that fails: its file in adapters/ and its name. */
type Mutant = readonly [rule: string, file: string, code: string, broken: string, testFile: string, testName: string];

const HUB = 'transports/hub.ts';
const MESH = 'transports/web-socket-mesh.ts';
const SEAL = 'transports/sealed.ts';
const hub = 'transports/hub.test.ts';
const webHub = 'transports/web-socket-hub.test.ts';
const limits = 'transports/web-socket-limits.test.ts';
const mesh = 'transports/web-socket-mesh.test.ts';
const seal = 'transports/sealed.test.ts';
const reading = 'transports/reading.test.ts';
const LINE = 'transports/bounded-line.ts';
const line = 'transports/bounded-line.test.ts';
const DOOR = 'transports/web-socket-hub.ts';
const LISTENER = 'transports/web-socket-listener.ts';

const mutants: readonly Mutant[] = [
  [
    'a living peer keeps its seat at a hub',
    HUB,
    'const isHeld = holder.key !== key && (',
    'const isHeld = false && (',
    hub,
    'with another key, when the holder',
  ],
  ['who has the key has the seat at once', HUB, 'holder.key !== key && (', '(', hub, 'a peer that comes back with its key'],
  ['who says no hello is closed', HUB, 'clock, late, helloMs)', 'clock, () => {}, helloMs)', hub, 'a line that says no hello'],
  [
    'before the welcome only a hello is read',
    HUB,
    "if (!isSeated || 'refused' in reading)",
    "if ('refused' in reading)",
    hub,
    'who has not been let in',
  ],
  ['a hello is short', HUB, 'isSeated ? FRAME_BYTES_MAX : HELLO_BYTES_MAX', 'FRAME_BYTES_MAX', hub, 'who has not been let in'],
  ['ids are refused by rule at a hub', HUB, 'if (noId !== null)', 'if (noId === 0)', hub, 'is refused, and nobody hears of it'],
  [
    'what one sender leaves waiting is bounded',
    HUB,
    'own > WAITING_CHARS_EACH_MAX',
    'own < 0',
    hub,
    'what waits for absent peers',
  ],
  [
    'what all leave waiting is bounded',
    HUB,
    'this.chars + text.length > WAITING_CHARS_MAX',
    'this.chars < 0',
    hub,
    'and in all by its size',
  ],
  [
    'what is forwarded fits a frame',
    HUB,
    'if (!fits(text, FRAME_BYTES_MAX))',
    'if (text.length < 0)',
    hub,
    'a frame that is larger',
  ],
  ['a welcome fits a frame', HUB, '> WELCOME_CHARS_MAX', '> Infinity', hub, 'with long names'],
  [
    'who goes while being asked about is not seated',
    HUB,
    'if (isGone()) return;\n    Object',
    'Object',
    hub,
    'who goes while the hub asks',
  ],
  ['a rule that fails is a no for now', HUB, 'this.refuse(guest, DOUBT, true)', 'this.seat(guest)', hub, 'a rule that fails'],
  [
    'the first beat comes with the welcome',
    HUB,
    'if (this.rules.beats) line.send(BEAT);',
    '',
    'transports/hub.test.ts',
    'a hub that beats',
  ],

  [
    'a living peer keeps its seat in a mesh',
    MESH,
    'const isHeld = holder.proof !== key && (',
    'const isHeld = false && (',
    mesh,
    'a second peer of an id that is alive',
  ],
  [
    'who has the key has the seat at once in a mesh',
    MESH,
    'holder.proof !== key && (',
    '(',
    mesh,
    'a half-open connection to an earlier self',
  ],
  [
    'a seat is asked one question',
    LINE,
    'return (this.question ??= ',
    'return (this.question = ',
    line,
    'a hundred who want to know',
  ],
  ['who speaks is given time to answer', LINE, '|| heard !== before', '', line, 'what was said before'],
  [
    'only an answer to the question is one',
    LINE,
    "socket.on('pong', yes)",
    "socket.on('message', yes).on('pong', yes)",
    line,
    'what was said before',
  ],
  [
    'who is read slowly is given time to answer',
    LINE,
    'this.resting !== undefined || heard',
    'heard',
    line,
    'who is read slowly',
  ],
  [
    'no one timer decides',
    LINE,
    'LOOKS_MAX = 10;\nconst LOOK_MS = 100;',
    'LOOKS_MAX = 1;\nconst LOOK_MS = 1_000;',
    line,
    'one timer that comes late',
  ],
  ['who has just spoken is not asked', LINE, 'this.silence > 1 && ', '', line, 'who has not spoken'],
  ['a line is left alone', LINE, 'while (this.resting === resting && ', 'while (', line, 'while a line is left alone'],
  ['a line stays left alone', LINE, 'if (this.resting !== resting) return;', '', line, 'while a line is left alone'],
  ['only true lets anybody in', DOOR, 'return answer === true ?', 'return answer ?', webHub, 'lets nobody in'],
  ['ids are a list', DOOR, 'ids !== undefined && !(', 'ids === null && !(', webHub, 'rules that look like some'],
  [
    'who answers at an address is asked about',
    MESH,
    'if (!this.options.admit) return this.establish(contact, contact.id, proof);',
    'if (proof) return this.establish(contact, contact.id, proof);',
    mesh,
    'who answers at an address',
  ],
  [
    'a token is shown to whom admit has let in',
    MESH,
    'this.options.admit ? await this.shownToken() : {}',
    'await this.shownToken()',
    mesh,
    'who answers at an address',
  ],
  [
    'what is said before the verdict waits for it',
    MESH,
    'contact.line.leaveAlone(this.judge(',
    'void (this.judge(',
    mesh,
    'what who answers says',
  ],
  ['a closing peer lets nobody in', MESH, 'if (this.life.closed) return line.terminate();', '', mesh, 'while a peer is closing'],
  [
    'ids and tokens are held against the rules',
    MESH,
    'if (why !== null) return this.refuse(contact, why);',
    '',
    mesh,
    'tokens and ids are held',
  ],
  [
    'a search for addresses may take its time',
    MESH,
    'await Promise.race([this.find(), late]);',
    'await this.find();',
    mesh,
    'a search for addresses',
  ],
  [
    'a silent connection is given up in a mesh',
    MESH,
    'contact.silence++ >= SILENT_BEATS_MAX',
    'contact.silence < 0',
    'standstill.test.ts',
    'over a mesh it is found',
  ],

  ['a seal is compared', SEAL, 'if (!isSame(code, ', 'if (!isSame(code, code) && !isSame(code, ', seal, '50,000 forged frames'],
  [
    'nothing is heard twice',
    SEAL,
    "if (kind === 'say' && isRepeated)",
    'if (text === 0 as never)',
    seal,
    'a replay of everything',
  ],
  [
    'nothing of an earlier run of the receiver is heard',
    SEAL,
    'if (heard !== this.run)',
    'if (heard === this.transport.id)',
    seal,
    'a replay of everything',
  ],
  [
    'nothing of an earlier run of the sender is heard',
    SEAL,
    'known.retired.has(run)',
    'known.retired.has(from)',
    seal,
    'what it said in its earlier run',
  ],
  ['an answer bears the challenge', SEAL, 'if (challenge !== other.challenge) return;', '', seal, 'an answer to no question'],
  ['a key that is not known costs no hash', SEAL, 'each.name === name', 'each.name !== from', seal, '50,000 forged frames'],
  ['a name without a key ends nobody', SEAL, 'this.keys.known(from)', 'this.keys.of(from)', seal, 'a stranger for whom the keys'],

  ['depth is bounded', 'transports/reading.ts', 'if (depth === 0)', 'if (depth === -1e9)', reading, '5,000 brackets'],
  [
    'the count of values is bounded',
    'transports/reading.ts',
    '--budget.left < 0',
    '--budget.left < -1e9',
    reading,
    'too many values',
  ],
  [
    'ids are in one normal form',
    'transports/ids.ts',
    'id !== id.normalize()',
    'id === 0 as never',
    reading,
    'refuses at creation',
  ],
  [
    'an address that is none is nobody’s',
    LISTENER,
    'URL.canParse(url, HERE) ?',
    'url !== "" ?',
    webHub,
    'ends neither hub nor process',
  ],
  [
    'a promise is no yes for an origin',
    'transports/origins.ts',
    'rule(origin) === true',
    'Boolean(rule(origin))',
    webHub,
    'a rule for origins',
  ],
  [
    'connections of one address are bounded',
    LISTENER,
    'fromThere >= this.limits.connectionsPerAddress',
    'fromThere < 0',
    limits,
    'connections are bounded',
  ],
  [
    'what is not taken is bounded',
    'transports/bounded-line.ts',
    'this.socket.bufferedAmount > this.limits.backlogBytes',
    'this.socket.bufferedAmount < 0',
    mesh,
    'what a peer that is dialled',
  ],
  [
    'a flood is read slowly',
    'transports/bounded-line.ts',
    'return this.frames.allows() && this.bytes.allows(Buffer.byteLength(text));',
    'return text.length >= 0;',
    line,
    'of a flood of',
  ],
  ['bytes are counted, not characters', LINE, 'Buffer.byteLength(text)', 'text.length', line, 'bytes of other alphabets'],
  ['what is not sent is saved up for ten seconds', LINE, 'SAVED_SECONDS = 10', 'SAVED_SECONDS = 1', line, 'who has been quiet'],
  [
    'a new connection has saved nothing',
    'transports/rate.ts',
    'this.saved = perSecond;',
    'this.saved = savedSeconds * perSecond;',
    line,
    'who has been quiet',
  ],
  ['a place is free a second after its connection', LISTENER, ', PLACE_MS)', ', 0)', limits, 'who connects anew'],
  ['who is read slowly is named', LISTENER, 'console.warn(', 'String(', limits, 'who is read slowly is named'],
  [
    'a try that leads nowhere is given up',
    'transports/reconnecting.ts',
    'clock, late, ATTEMPT_MS_MAX)',
    'clock, () => {}, ATTEMPT_MS_MAX)',
    'transports/reconnecting.test.ts',
    'a try that leads nowhere',
  ],
  [
    'the first try comes soon',
    'transports/reconnecting.ts',
    'FIRST_PAUSE_MS_MAX = 100',
    'FIRST_PAUSE_MS_MAX = 1_000',
    'transports/reconnecting.test.ts',
    'the first try comes',
  ],
];

const copy = mkdtempSync(join(tmpdir(), 'quiver-mutants-'));

beforeAll(() => {
  for (const part of ['adapters', 'machines', 'network', 'package.json', 'tsconfig.json'])
    cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, 'vitest.config.ts'), 'export default { test: { pool: "threads", testTimeout: 30_000 } };\n');
});
afterAll(() => rmSync(copy, { recursive: true }));

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the tests of that name in the copy. */
async function run(testFile: string, testName: string): Promise<Outcome> {
  const args = ['run', '--root', copy, `adapters/${testFile}`, '-t', testName, '--reporter', 'json'];
  const child = spawn(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), ...args], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  await new Promise((ended) => child.once('close', ended));
  const report = JSON.parse(said.slice(said.indexOf('{"'))) as { numPassedTests: number; numFailedTests: number };
  return { passed: report.numPassedTests, failed: report.numFailedTests };
}

const named = new Map(mutants.map(([, , , , testFile, testName]) => [`${testFile}: ${testName}`, [testFile, testName] as const]));

test.each([...named])('as it is, %s passes', async (_, [testFile, testName]) => {
  const { passed, failed } = await run(testFile, testName);
  expect(failed).toBe(0);
  expect(passed).toBeGreaterThan(0);
});

test.each(mutants)('without the rule that %s, its test fails', async (_, file, code, broken, testFile, testName) => {
  const path = join(copy, 'adapters', file);
  const source = readFileSync(path, 'utf8');
  expect(source.split(code)).toHaveLength(2);
  writeFileSync(
    path,
    source.replace(code, () => broken),
  );
  try {
    expect((await run(testFile, testName)).failed).toBeGreaterThan(0);
  } finally {
    writeFileSync(path, source);
  }
});
