/** Shares the present view: page and trace as one file or, if the page is public, a small trace within its address. */
import { signal } from '@preact/signals';
import { pack, unpack, withTrace } from '../model/packed.js';
import { packedEngine, textNextToPage } from './chart/engine.js';
import { copyText } from './clipboard.js';
import { download } from './download.js';
import { recording } from './state.js';
import { thrownText } from '../../machines/errors.js';

const PREFIX = '#trace=';
/** Longer addresses are cut off by chats and mail programs. */
const ADDRESS_CHARACTERS_MAX = 16_000;

const ON_LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** The result of the last attempt to share, shown for a moment. */
export const shared = signal<string | null>(null);
const SHOWN_MS = 4000;

export async function share(): Promise<void> {
  shared.value = await cameOfSharing();
  setTimeout(() => (shared.value = null), SHOWN_MS);
}

/** Content of `<quiver-view>` and of a file has no address for others, and a loopback address works only on this machine. */
function cameOfSharing(): Promise<string> | string {
  if (['about:', 'file:'].includes(location.protocol)) return 'This view has no address: share its file.';
  const isFramed = window.parent !== window;
  return ON_LOOPBACK.test(location.hostname) && !isFramed ? shareFile() : shareAddress(isFramed);
}

/** Saves page and trace as one file. An address on loopback would lead others to their own machine, and reveal the token of this page. */
async function shareFile(): Promise<string> {
  try {
    const [page, engine] = await Promise.all([textNextToPage('./whole/index.js'), packedEngine()]);
    const name = (recording.value.header?.protocol ?? '').replaceAll(/[^\w-]+/g, '-');
    download(`${name || 'trace'}.html`, [withTrace(page, await pack(recording.value.text()), engine)]);
    return 'Page and trace are saved as one file, which opens in the same view without a server.';
  } catch (error) {
    return `Page and trace could not be saved as one file: ${thrownText(error)}. Share the file of the trace.`;
  }
}

/** The address of a frame is not visible, so the link has to be copied. */
async function shareAddress(isFramed: boolean): Promise<string> {
  const address = `${location.href.split('#')[0]}${PREFIX}${await pack(recording.value.text())}`;
  if (address.length > ADDRESS_CHARACTERS_MAX) return 'This trace is too long for an address: share its file.';
  if (!isFramed) history.replaceState(null, '', address);
  const isCopied = await copyText(address);
  if (isFramed)
    return isCopied
      ? 'A link to this trace is copied.'
      : 'The link could not be copied: the browser refuses it. Allow it for this page, and press again.';
  return isCopied
    ? 'The address of this page now holds the trace, and is copied.'
    : 'The address of this page now holds the trace. It could not be copied: copy it from the address bar.';
}

/** The trace that the page's address contains, if any. */
export const traceInAddress = (): ReadableStream<Uint8Array> | null =>
  location.hash.startsWith(PREFIX) ? unpack(location.hash.slice(PREFIX.length).replace(/&.*$/, '')) : null;

/** The trace that the page itself contains, if it is a single file. */
export function traceInPage(): ReadableStream<Uint8Array> | null {
  const element = document.getElementById('trace');
  return element && unpack(element.textContent ?? '');
}
