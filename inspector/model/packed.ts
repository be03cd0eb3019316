/** Compressed text for an address or a page, in characters that both allow. */

export async function pack(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A browser decompresses a whole piece, up to a thousand times its size, before any of it is read. */
const PIECE_BYTES = 4096;

/** Decompresses a text. Throws if it is not base64; the stream fails if it was not compressed. */
export function unpack(text: string): ReadableStream<Uint8Array> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  let next = 0;
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(piece) {
      if (next >= bytes.length) return piece.close();
      piece.enqueue(bytes.subarray(next, (next += PIECE_BYTES)));
    },
  });
  return pieces.pipeThrough(new DecompressionStream('gzip'));
}

/**
 * The page in one piece, with a trace and the engine that lays out charts.
 *
 * @param trace The packed text of the trace.
 * @param engine The packed text of the engine's worker.
 */
export const withTrace = (page: string, trace: string, engine: string): string =>
  page.replace('<div id="app">', (app) => `${element('trace', trace)}${element('chart-engine', engine)}${app}`);

const element = (id: string, packed: string): string => `<script type="application/gzip" id="${id}">${packed}</script>`;
