/** ELK, the engine that lays out charts, in a worker. It is large, and loaded with the first chart. */
import type { ElkNode } from 'elkjs/lib/elk-api.js';
import type { LayoutEngine } from '../../model/chart-layout.js';
import { unpack } from '../../model/packed.js';

interface Answer {
  readonly id: number;
  readonly data?: ElkNode;
  readonly error?: { readonly message?: string };
}

interface Waiting {
  resolve(graph: ElkNode): void;
  reject(error: Error): void;
}

let starting: Promise<Worker> | null = null;
const waiting = new Map<number, Waiting>();
let orders = 0;

/** The text of the worker, compressed: within this page if page and trace are one file, otherwise next to it. */
export async function packedEngine(): Promise<string> {
  const inPage = document.getElementById('chart-engine');
  if (inPage) return inPage.textContent ?? '';
  return textNextToPage('./chart-engine.js');
}

/** The text that a module next to the page exports. */
export async function textNextToPage(path: string): Promise<string> {
  const module: { readonly default: string } = await import(/* @vite-ignore */ new URL(path, document.baseURI).href);
  return module.default;
}

async function start(): Promise<Worker> {
  const text = await new Response(unpack(await packedEngine())).blob();
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  worker.addEventListener('message', ({ data: { id, data, error } }: MessageEvent<Answer>) => {
    if (data) waiting.get(id)?.resolve(data);
    else waiting.get(id)?.reject(new Error(error?.message ?? 'ELK failed'));
    waiting.delete(id);
  });
  worker.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message || 'the worker did not start'));
    waiting.clear();
  });
  worker.postMessage({ id: -1, cmd: 'register', algorithms: ['layered'] });
  return worker;
}

export const elkInWorker: LayoutEngine = async (graph) => {
  const worker = await (starting ??= start());
  const id = orders++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, cmd: 'layout', graph, layoutOptions: {}, options: {} });
  });
};
