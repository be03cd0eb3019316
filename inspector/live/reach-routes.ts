/** What is posted below `reach/`, by the page and by programs: see reaching.ts. Whoever comes here has passed the server's checks. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { UsageError } from '../../machines/errors.js';
import { BEAT_MS, isProgram } from './inbox.js';
import type { Reaching } from './reaching.js';

/** The answer as JSON; `undefined` where the response stays open for what the program will be asked. */
export async function answerReach(
  name: string,
  body: unknown,
  reaching: Reaching,
  response: ServerResponse<IncomingMessage>,
): Promise<unknown> {
  switch (name) {
    case 'reach/offer':
      return reaching.offer((body as { readonly node?: unknown } | null)?.node);
    case 'reach/do':
      return reaching.do(body);
    case 'reach/answer':
      reaching.answered(body);
      return null;
    case 'reach/listen':
      if (!isProgram(body)) throw new UsageError('who listens does not say which program it is');
      keepListening(reaching, body, response);
      return undefined;
    default:
      throw new UsageError(`nothing is known of "${name}"`);
  }
}

/** A program is asked line by line, and hears an empty line as long as the inspector is there. */
function keepListening(reaching: Reaching, program: Parameters<Reaching['listen']>[0], response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
  response.write('\n');
  const beat = setInterval(() => response.write('\n'), BEAT_MS);
  const stop = reaching.listen(program, (said) => response.write(`${JSON.stringify(said)}\n`));
  response.on('close', () => {
    clearInterval(beat);
    stop();
  });
}
