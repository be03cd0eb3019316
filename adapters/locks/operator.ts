/**
 * HTTP for operators: a request listener for a server of the program, which chooses the address, TLS and the lifetime.
 *
 *     GET  /healthz                    200 while the locks are open, 503 after they have ended; without a token
 *     GET  /readyz                     200 while this peer is granted locks, 503 otherwise; without a token
 *     GET  /status?timeoutMs=1000      the result of `locks.inspect()`
 *     POST /members?add=d&remove=c&timeoutMs=10000
 *     POST /withdraw                   withdraws the change of members that was requested at this peer, or at one that is not
 *                                      connected. `withdrawn` was pending before, and `changing` is pending still: its list was already proposed
 *
 * Only the last part of a path counts, so a program can mount the listener below any path. An error is `{ "error": … }`: 401 without the
 * token, 409 if a change was rejected, and 504 if it is not decided yet and may still be.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import type { LiveNode } from '../node/node.js';
import { checkOptions } from '../options.js';
import { later } from '../transports/later.js';
import type { MembersOptions } from './members.js';
import type { LocksInspection } from './inspection.js';
import type { LocksStatus } from './locks-status.js';
import { thrownText } from '../../machines/errors.js';

export interface OperatorOptions {
  /** The secret that requests contain as `Authorization: Bearer`, of at least 16 characters. */
  readonly token: string;
}

/** The used part of `IncomingMessage` and `ServerResponse` of `node:http`. */
interface OperatorRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly authorization?: string | undefined };
}
interface OperatorResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(text: string): unknown;
}
export type OperatorListener = (request: OperatorRequest, response: OperatorResponse) => void;

/** The used part of `Locks`. */
interface Operated {
  readonly node: Pick<LiveNode, 'environment'>;
  status(): LocksStatus;
  inspect(options: { readonly timeoutMs?: number }): Promise<LocksInspection>;
  addMember(id: NodeId, options: MembersOptions): Promise<readonly NodeId[]>;
  removeMember(id: NodeId, options: MembersOptions): Promise<readonly NodeId[]>;
  replaceMember(old: NodeId, id: NodeId, options: MembersOptions): Promise<readonly NodeId[]>;
  withdrawChange(): readonly NodeId[];
  readonly members: readonly NodeId[];
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}
const failure = (status: number, error: string): Answer => ({ status, body: { error } });

const TOKEN_LENGTH_MIN = 16;
const CHECKS = {
  // The error states the length only, because the value is a secret.
  token: {
    must: `a secret of at least ${TOKEN_LENGTH_MIN} characters`,
    refused: (value: unknown) =>
      typeof value !== 'string' ? 'is not a text' : value.length < TOKEN_LENGTH_MIN ? `has ${value.length} characters` : null,
  },
};
const BASE = 'http://operator';
/** How long a change of members may take by default, and the largest time limit of a request, in milliseconds. */
const CHANGE_MS = 10_000;
const TIMEOUT_MS_MAX = 600_000;

/**
 * Creates a request listener of `node:http` for an operator and the command `quiver cluster`: the state of the cluster, changes of members,
 * and health checks.
 *
 * @param locks the locks of a voter.
 * @param options `token`: a secret of at least 16 characters, which requests contain as bearer token.
 * @throws UsageError for a token that is missing or too short.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createLocks, operatorListener } from 'xstate-quiver/locks';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const server = createServer(operatorListener(locks, { token: 'a secret of this cluster' })).listen(0, '127.0.0.1');
 * server.close();
 * await locks.close();
 * ```
 * @public
 */
export function operatorListener(locks: Operated, options: OperatorOptions): OperatorListener {
  checkOptions('operatorListener', options, CHECKS);
  const authorization = `Bearer ${options.token}`;
  return (request, response) => {
    const respond = ({ status, body }: Answer) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(body)}\n`);
    };
    answerTo(request, locks, authorization).then(respond, (error: unknown) => respond(failure(500, String(error))));
  };
}

async function answerTo({ method, url = '', headers }: OperatorRequest, locks: Operated, authorization: string): Promise<Answer> {
  // `//` is a path that a request may have, and not a URL.
  if (!URL.canParse(url, BASE)) return failure(400, 'the path is not valid');
  const { pathname, searchParams: parameters } = new URL(url, BASE);
  const name = pathname.split('/').at(-1)!;
  const { state } = locks.status();
  const isServed = state === 'serving' || state === 'attached';
  if (name === 'healthz') return { status: state === 'closed' ? 503 : 200, body: { state } };
  if (name === 'readyz') return { status: isServed ? 200 : 503, body: { state } };
  if (!isEqual(headers.authorization ?? '', authorization)) return failure(401, 'the token is missing or wrong');
  if (state === 'closed') return failure(503, 'the locks of this peer are closed');
  if (name === 'status' && method === 'GET') return inspection(locks, parameters);
  if (name === 'members' && method === 'POST') return change(locks, parameters);
  if (name === 'withdraw' && method === 'POST') return withdrawal(locks);
  return failure(404, 'the requests are GET status, POST members and POST withdraw');
}

async function inspection(locks: Operated, parameters: URLSearchParams): Promise<Answer> {
  const timeoutMs = timeoutIn(parameters, undefined);
  if (timeoutMs === null) return WRONG_TIMEOUT;
  return { status: 200, body: await locks.inspect(timeoutMs === undefined ? {} : { timeoutMs }) };
}

async function change(locks: Operated, parameters: URLSearchParams): Promise<Answer> {
  const [add, remove] = [parameters.get('add'), parameters.get('remove')];
  const timeoutMs = timeoutIn(parameters, CHANGE_MS);
  if (timeoutMs === null) return WRONG_TIMEOUT;
  const timer = new Subscription();
  const over = new AbortController();
  const { signal } = over;
  later(timer, locks.node.environment.clock, () => over.abort(), timeoutMs);
  try {
    if (add !== null && remove !== null) return members(await locks.replaceMember(remove, add, { signal }));
    if (add !== null) return members(await locks.addMember(add, { signal }));
    if (remove !== null) return members(await locks.removeMember(remove, { signal }));
    return failure(400, 'a change of members needs add, remove, or both');
  } catch (error) {
    if (error !== signal.reason) return failure(409, thrownText(error));
    return failure(504, `the change is not decided after ${timeoutMs} ms and may still be; status shows it while it is pending`);
  }
}

function withdrawal(locks: Operated): Answer {
  try {
    const { changing: withdrawn } = locks.status();
    const missing = locks.withdrawChange();
    return { status: 200, body: { voters: locks.members, missing, withdrawn, changing: locks.status().changing } };
  } catch (error) {
    return failure(409, thrownText(error));
  }
}

const members = (voters: readonly NodeId[]): Answer => ({ status: 200, body: { voters } });

const WRONG_TIMEOUT = /* @__PURE__ */ failure(400, `timeoutMs is a whole number from 0 to ${TIMEOUT_MS_MAX}`);

/** The time limit of a request; `null` if it is wrong. */
function timeoutIn<T>(parameters: URLSearchParams, otherwise: T): number | T | null {
  const text = parameters.get('timeoutMs');
  if (text === null) return otherwise;
  return /^\d{1,6}$/.test(text) && Number(text) <= TIMEOUT_MS_MAX ? Number(text) : null;
}

/** Compares without a difference in time that depends on the first different character. */
function isEqual(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= (given.charCodeAt(i) || 0) ^ expected.charCodeAt(i);
  return difference === 0;
}
