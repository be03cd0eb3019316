/** A small trace as part of an address: whoever opens the page with it sees the same, without any file. */
import { signal } from '@preact/signals';
import { pack, unpack } from '../model/packed.js';
import { copyText } from './clipboard.js';
import { recording } from './state.js';

const PREFIX = '#trace=';
/** Longer addresses are cut off by chats and mail programs. */
const ADDRESS_CHARACTERS_MAX = 16_000;

/** What came of the last attempt to share, for a moment. */
export const shared = signal<string | null>(null);
const SHOWN_MS = 4000;

export async function share(): Promise<void> {
  shared.value = await cameOfSharing();
  setTimeout(() => (shared.value = null), SHOWN_MS);
}

/** Nobody sees the address of a frame: there, a link is copied or it is nowhere. What `<quiver-view>` shows has no address at all. */
async function cameOfSharing(): Promise<string> {
  if (location.protocol === 'about:') return 'What is shown here has no address: share its file.';
  const address = `${location.href.split('#')[0]}${PREFIX}${await pack(recording.value.text())}`;
  if (address.length > ADDRESS_CHARACTERS_MAX) return 'This trace is too long for an address: share its file.';
  const isFramed = window.parent !== window;
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

/** The trace in the address of the page, if there is one. */
export const traceInAddress = (): ReadableStream<Uint8Array> | null =>
  location.hash.startsWith(PREFIX) ? unpack(location.hash.slice(PREFIX.length)) : null;

/** The trace in the page itself, where page and trace are one file. */
export function traceInPage(): ReadableStream<Uint8Array> | null {
  const element = document.getElementById('trace');
  return element && unpack(element.textContent ?? '');
}
