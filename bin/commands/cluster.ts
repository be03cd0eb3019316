/**
 * `quiver cluster`: the state of a running cluster of locks, and changes of its voters, over the listener that a peer serves
 * (`operatorListener`); and forced recovery from the folder of a stopped voter.
 *
 * Exit status: 0 if a majority serves, or the change is done or withdrawn; 1 if not. 2 if the peer does not answer, the change is still
 * pending, or the withdrawal did not reach every voter.
 */
import type { InspectedLock, InspectedPeer, LocksInspection } from '../../adapters/locks/inspection.js';
import type { PendingChange } from '../../adapters/locks/locks-status.js';
import { escape } from '../../adapters/transports/reading.js';
import { isObject } from '../../machines/checks.js';
import { asError, UsageError } from '../../machines/errors.js';
import { recoverFolder } from '../recover-folder.js';
import { bold, counted } from '../style.js';
import { integerOption } from '../usage.js';
import type { ValuesOf, VerbWork } from '../verbs.js';

const [DONE, NOT_DONE, UNKNOWN] = [0, 1, 2];
const SECONDS_MAX = 600;
/** How much longer than its time limit an answer may take. */
const SLACK_MS = 5_000;

const command: VerbWork<'cluster'> = async (values, words) => {
  const [name, ...ids] = words;
  if (name === 'status' && ids.length === 0) return status(values);
  if (name === 'recover' && ids.length === 1) return (await recoverFolder(ids[0]!, values.force ?? false)) ? DONE : NOT_DONE;
  if (name === 'withdraw' && ids.length === 0) return withdraw(values);
  const change = changeIn(name, ids);
  if (change) return changeMembers(values, change);
  throw new UsageError(
    'quiver cluster takes status, add ID, remove ID, replace OLD NEW, withdraw, or recover FOLDER: npx quiver cluster status --url http://127.0.0.1:7070/',
  );
};

function changeIn(name: string | undefined, [first, second, ...more]: readonly string[]): Record<string, string> | null {
  if (first === undefined || more.length > 0) return null;
  if (name === 'replace') return second === undefined ? null : { remove: first, add: second };
  return (name === 'add' || name === 'remove') && second === undefined ? { [name]: first } : null;
}

async function status(values: ValuesOf<'cluster'>): Promise<number> {
  const answer = await ask(values, 'GET', 'status', {});
  if (!answer) return UNKNOWN;
  const inspection = answer.body as unknown as LocksInspection;
  const serving = inspection.peers.filter(({ votes, state }) => votes && state === 'serving').length;
  console.log(values.json ? JSON.stringify(inspection) : escapedLines(textOf(inspection, serving)));
  return serving > inspection.voters.length / 2 ? DONE : NOT_DONE;
}

async function changeMembers(values: ValuesOf<'cluster'>, change: Record<string, string>): Promise<number> {
  const answer = await ask(values, 'POST', 'members', change);
  if (!answer) return UNKNOWN;
  const { voters, error } = answer.body;
  if (values.json) console.log(JSON.stringify(answer.body));
  else if (Array.isArray(voters)) console.log(escape(`The voters are ${voters.join(', ')}.`));
  else console.error(escape(`quiver: ${String(error)}`));
  return answer.status === 200 ? DONE : answer.status === 504 ? UNKNOWN : NOT_DONE;
}

/** Withdraws the change that was requested at this peer. A voter that is not connected may still make it. */
async function withdraw(values: ValuesOf<'cluster'>): Promise<number> {
  const answer = await ask(values, 'POST', 'withdraw', {});
  if (!answer) return UNKNOWN;
  const { voters, missing, withdrawn, changing, error } = answer.body as unknown as Withdrawal;
  if (values.json) console.log(JSON.stringify(answer.body));
  else if (!missing) console.error(escape(`quiver: ${error}`));
  else {
    const done = withdrawn ? `Withdrawn: ${changeText(withdrawn)}.` : 'No change is pending at this peer.';
    const result = changing ? `Already proposed, and may still be decided: ${changeText(changing)}.` : done;
    console.log(escape(`${result} The voters are ${voters.join(', ')}.`));
    if (missing.length > 0)
      console.log(
        escape(
          `Not reached: ${missing.join(', ')}. A voter that led before may still make the change: repeat this when all are back, or replace those that are gone.`,
        ),
      );
  }
  if (!missing) return NOT_DONE;
  return missing.length === 0 && !changing ? DONE : UNKNOWN;
}

/** The answer to a withdrawal; only the error if it is rejected. */
interface Withdrawal {
  readonly voters: readonly string[];
  readonly missing?: readonly string[];
  readonly withdrawn?: PendingChange;
  readonly changing?: PendingChange;
  readonly error: string;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request to the peer. `null` if it does not answer; this is printed. */
async function ask(
  values: ValuesOf<'cluster'>,
  method: 'GET' | 'POST',
  path: string,
  parameters: Record<string, string>,
): Promise<Answer | null> {
  const url = addressOf(values.url, path);
  const seconds = integerOption('seconds', values.seconds, 0, SECONDS_MAX) ?? (method === 'GET' ? 1 : 10);
  url.search = String(new URLSearchParams({ ...parameters, timeoutMs: String(seconds * 1_000) }));
  const signal = AbortSignal.timeout(seconds * 1_000 + SLACK_MS);
  const headers = { authorization: `Bearer ${tokenHere()}` };
  const noAnswer = (reason: string) => {
    console.error(
      escape(`quiver: No answer from a peer of locks at ${url.origin}${url.pathname} (${reason}). Ask another peer.`),
    );
    return null;
  };
  try {
    const response = await fetch(url, { method, headers, signal });
    const body: unknown = await response.json();
    if (response.status === 401)
      throw new UsageError('The token is wrong. Set QUIVER_TOKEN to the token of operatorListener at this peer.');
    if (!isObject(body) || (response.status === 200 && !('voters' in body))) return noAnswer('another program answers');
    if (response.status === 503 || response.status === 404) return noAnswer(String(body['error']));
    return { status: response.status, body };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message, cause } = asError(error);
    return noAnswer(cause instanceof Error && cause.message ? cause.message : message);
  }
}

/** The address of a request below the address at which the program serves the listener. */
function addressOf(given: string | undefined, path: string): URL {
  if (given === undefined)
    throw new UsageError('quiver cluster needs --url, the address at which a peer serves operatorListener.');
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--url is "${given}". Pass an address such as http://127.0.0.1:7070/.`);
  return new URL(path, url.pathname.endsWith('/') ? url : `${url}/`);
}

function tokenHere(): string {
  const token = process.env['QUIVER_TOKEN'];
  if (!token) throw new UsageError('quiver cluster needs the token of operatorListener. Set the variable QUIVER_TOKEN.');
  return token;
}

/** Without the control characters of names from other peers. */
const escapedLines = (lines: readonly string[]): string => lines.map(escape).join('\n').replace(/.*/, bold);

const changeText = ({ add, remove, by }: PendingChange): string =>
  [add && `add ${add}`, remove && `remove ${remove}`, by ? `requested at ${by}` : 'proposed'].filter(Boolean).join(', ');

function textOf(inspection: LocksInspection, serving: number): string[] {
  const { name, peer, leader, epoch, voters, changing, peers, locks, omitted } = inspection;
  const width = Math.max(...peers.map(({ id }) => id.length));
  return [
    `${name} at ${peer}: ${serving} of ${voters.length} voters serve epoch ${epoch}, the leader is ${leader ?? 'unknown'}`,
    ...(changing ? [`pending change: ${changeText(changing)}`] : []),
    ...peers.map((each) => `  ${each.id.padEnd(width)}  ${peerText(each)}`),
    ...(locks.length === 0 ? ['no lock is held or waited for'] : locks.map(lockText)),
    ...(omitted === 0 ? [] : [`and ${counted(omitted, 'other lock')}`]),
  ];
}

function peerText({ votes, state, roundTripMs, missing, problem }: InspectedPeer): string {
  const role = votes ? 'voter' : state === 'attached' || state === 'seeking' ? 'client' : 'not a voter';
  const facts = [role, state, roundTripMs !== null && `${roundTripMs} ms`];
  const without = problem === null && missing.length > 0 && `does not reach ${missing.join(', ')}`;
  return [[...facts, without].filter(Boolean).join(', '), problem].filter((part) => part !== null).join('; ');
}

function lockText({ name, holders, waiting, problem }: InspectedLock): string {
  const held = holders.map(
    ({ peer, ms, fence, mode }) => `${mode === 'shared' ? 'shared by' : 'held by'} ${peer}${forTime(ms)}, fence ${fence}`,
  );
  const waits = waiting.map(({ peer, ms, callers }) => `${peer}${forTime(ms)}${callers > 1 ? ` (${callers} callers)` : ''}`);
  const parts = [...held, waits.length > 0 && `waiting: ${waits.join(', ')}`, problem];
  return `lock "${name}": ${parts.filter(Boolean).join('; ')}`;
}

const forTime = (ms: number | null): string => (ms === null ? '' : ` for ${(ms / 1_000).toFixed(1)} s`);

export default command;
