/**
 * The HTTP interface. `PUT /jobs/ID` with `{ kind, input }` adds a job, `GET /jobs/ID` returns its state. `/healthz` succeeds while the
 * process is alive, `/readyz` while it is part of a majority and takes jobs.
 */
import { json } from 'node:stream/consumers';

/** Ids that are valid keys of JetStream. */
const JOB = /^\/jobs\/([\w=-]{1,200})$/;

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {Pick<import('./work.js').Worker, 'locks'> & { store: import('./store.js').JobStore }} of
 */
export async function answer(request, response, { locks, store }) {
  const say = (/** @type {number} */ status, /** @type {unknown} */ body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  try {
    const { method, url = '' } = request;
    if (url === '/healthz') return say(200, { alive: true });
    if (url === '/readyz') {
      const { state, missing } = locks.status();
      return say(state === 'serving' ? 200 : 503, { state, missing });
    }
    const id = JOB.exec(url)?.[1];
    if (!id) return say(404, { error: 'there is /jobs/ID, of letters, digits, - = and _' });
    if (method === 'GET') {
      const job = await store.get(id);
      return job ? say(200, job) : say(404, { error: `unknown job "${id}"` });
    }
    if (method !== 'PUT') return say(405, { error: 'PUT or GET' });
    const job = /** @type {any} */ (await json(request).catch(() => null));
    if (typeof job?.kind !== 'string') return say(400, { error: 'a job is { "kind": …, "input": … }' });
    return say((await store.add(id, job)) ? 201 : 200, await store.get(id));
  } catch (error) {
    return say(503, { error: String(error) });
  }
}
