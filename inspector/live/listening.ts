/**
 * Receives the gestures of an inspector for as long as the program runs. If the inspector is silent for too long, its gestures end.
 * Listening does not keep the program alive.
 */
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { BEAT_MS, type Program } from './inbox.js';
import type { ReachAsk, Reached } from './reached.js';
import type { ReachOrder } from './reaching.js';

const SILENCE_MS = 3 * BEAT_MS;

/** Receives gestures from the inspector at this address and performs them, until the returned function is called. */
export function listenTo(url: string, program: Program, reached: Reached): () => void {
  let isOver = false;
  let asking: ClientRequest | null = null;
  const again = () => {
    reached.letGo();
    if (!isOver) setTimeout(listen, BEAT_MS).unref();
  };
  const listen = () => {
    if (isOver) return;
    asking = post(url, 'reach/listen', program);
    asking.setTimeout(SILENCE_MS, () => asking!.destroy());
    asking.on('response', (response) => receive(response, url, reached));
    asking.on('error', () => {});
    asking.on('close', again);
  };
  listen();
  return () => {
    isOver = true;
    asking?.destroy();
  };
}

function receive(response: IncomingMessage, url: string, reached: Reached): void {
  response.on('error', () => {});
  if (response.statusCode !== 200) return void response.resume();
  createInterface({ input: response })
    .on('line', (line) => {
      const order = read(line);
      if (!order) return;
      if ('letGo' in order) reached.letGo();
      else answer(url, order, reached);
    })
    // An inspector that breaks off must not end the program.
    .on('error', () => {});
}

/** A line that was cut off by the end of the inspector is ignored. */
function read(line: string): ReachOrder | null {
  try {
    return line === '' ? null : JSON.parse(line);
  } catch {
    return null;
  }
}

function answer(url: string, asked: ReachAsk, reached: Reached): void {
  post(url, 'reach/answer', reached.answer(asked))
    .on('response', (response) => response.resume())
    .on('error', () => {});
}

function post(url: string, name: string, body: unknown): ClientRequest {
  const asking = request(new URL(name, url), { method: 'POST', agent: false });
  asking.on('socket', (socket) => socket.unref());
  asking.end(JSON.stringify(body));
  return asking;
}
