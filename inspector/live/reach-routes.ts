/** Answers posts below `reach/`, from the page and from programs: see reaching.ts. The server has already checked these requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { UsageError } from '../../machines/errors.js';
import { BEAT_MS, isProgram } from './inbox.js';
import type { Reaching } from './reaching.js';
import { fieldsOf } from '../../machines/checks.js';

/** Returns the answer as JSON, or `undefined` if the response stays open for the gestures on a program. */
export async function answerReach(
  name: string,
  body: unknown,
  reaching: Reaching,
  response: ServerResponse<IncomingMessage>,
): Promise<unknown> {
  switch (name) {
    case 'reach/offer':
      return reaching.offer(fieldsOf(body)['node']);
    case 'reach/do':
      return reaching.do(body);
    case 'reach/answer':
      reaching.answered(body);
      return null;
    case 'reach/listen':
      if (!isProgram(body)) throw new UsageError('The request does not identify its program. Send { name, run }, two strings.');
      keepListening(reaching, body, response);
      return undefined;
    default:
      throw new UsageError(`Unknown path "${name}" for gestures.`);
  }
}

/** Sends gestures to a program, one line each. An empty line shows that the inspector is alive. */
function keepListening(reaching: Reaching, program: Parameters<Reaching['listen']>[0], response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
  response.write('\n');
  const beat = setInterval(() => response.write('\n'), BEAT_MS);
  const stop = reaching.listen(program, (order) => response.write(`${JSON.stringify(order)}\n`));
  response.on('close', () => {
    clearInterval(beat);
    stop();
  });
}
