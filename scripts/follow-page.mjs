/**
 * Follows a page of docs/start or docs/recipes like its reader: in an empty folder, block by block, in one shell.
 *
 * - A block below a line that ends with the name of a file and a colon (`worker.js`:) is saved as that file, in the folder of the shell.
 * - A block `sh` is run in the folder in which the previous one ended. Its output, and then its standard error, must match the block without a
 *   language below it; a line `…` there matches any number of lines. Without such a block, standard error must be empty.
 * - A block `diff` shows earlier code, and is skipped.
 * - xstate-quiver is installed from the given tarball, and tests have the limits of a slow machine.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const BLOCK = /^```(\w*)\n([^]*?)^```$/gm;
const NAME_OF_FILE = /`([\w./-]+)`[^`\n]*:\s*$/;
const MINUTES_MAX = 30;
/** Options of Vitest for a machine that is many times slower than that of a reader. */
export const VITEST_LIMITS = ['--testTimeout', '600000', '--hookTimeout', '600000'];

/** True if what was printed is what the page shows. */
export function isShown(printed, shown) {
  const exact = (line) => line.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = shown
    .trim()
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${exact(line)}[ ]*\\n`));
  return new RegExp(`^\\s*${pattern.join('')}\\s*$`).test(`${printed.trim()}\n`);
}

/** The parts of a page in their order: files to save, and commands with what they have to print (`null`: anything). */
export function stepsOf(text) {
  const parts = [];
  let end = 0;
  for (const { 0: whole, 1: language, 2: content, index } of text.matchAll(BLOCK)) {
    const before = text.slice(end, index);
    const last = parts.at(-1);
    const name = NAME_OF_FILE.exec(before.trimEnd())?.[1];
    end = index + whole.length;
    if (language === 'diff') continue;
    if (language === 'sh') parts.push({ command: content, shown: null });
    else if (language === '' && last?.command && before.trim() === '') last.shown = content;
    else if (name) parts.push({ file: name, content });
    else throw new Error(`A block is not a file, a command or an output. Name its file in the line above.\n${content}`);
  }
  return parts;
}

function run(command, cwd) {
  // Without colors and without user settings of npm, so that a page has the same result for everyone. The last line is the folder in which
  // the block ends.
  const child = spawn('sh', ['-e', '-c', `${command}\npwd >&3`], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', npm_config_loglevel: 'error' },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '', folder: '' };
  child.stdio[3].on('data', (text) => (output.folder += text));
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (text) => (output[stream] += text));
  const late = setTimeout(() => end(child.pid), MINUTES_MAX * 60_000);
  return new Promise((resolve) =>
    child.once('exit', (status) => {
      clearTimeout(late);
      // A process in the background continues for the next blocks, and does not keep the pipe open.
      setTimeout(() => resolve({ ...output, folder: output.folder.trim(), status, group: child.pid }), 200);
    }),
  );
}

/** Follows a page from an empty folder. Throws if a block fails. `look` can inspect the running processes before they are ended. */
export async function followPage(page, empty, tarball, look = async () => {}) {
  const groups = [];
  let folder = empty;
  try {
    for (const { file, content, command, shown } of stepsOf(readFileSync(page, 'utf8'))) {
      if (file) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), content);
        continue;
      }
      const { stdout, stderr, status, group, folder: ended } = await run(forCheck(command, tarball), folder);
      groups.push(group);
      if (status !== 0) throw new Error(`${page}: this command exited with ${status}:\n${command}\n${stdout}\n${stderr}`);
      folder = ended;
      if (shown !== null && !isShown(`${stdout}${stderr}`, shown))
        throw new Error(`${page}: this command printed\n${stdout}${stderr}\ninstead of\n${shown}\n${command}`);
      if (shown === null && stderr.trim() !== '')
        throw new Error(`${page}: this command printed to standard error\n${stderr}\n${command}`);
    }
    await look();
  } finally {
    for (const group of groups) end(group);
  }
}

/** A command with the package that is to be published, instead of the published one, and with limits of tests for a slow machine. */
const forCheck = (command, tarball) =>
  command
    .replaceAll(/^npx vitest run$/gm, `$& ${VITEST_LIMITS.join(' ')}`)
    .replaceAll(/^npm test$/gm, `$& -- ${VITEST_LIMITS.join(' ')}`)
    .replaceAll(/^(npm install .*?)\bxstate-quiver\b/gm, `$1${tarball}`)
    .replaceAll(/-p xstate-quiver\b/g, `-p ${tarball}`)
    .replaceAll(/^(cd [\w-]+ && )(npm install)\b/gm, `$1npm pkg set dependencies.xstate-quiver=file:${tarball} && $2`);

function end(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
