/**
 * `<quiver-view>`: a trace on any web page, with every view of the inspector.
 *
 * The frame inherits the content security policy of the page. A policy that forbids scripts of other origins prevents the display. The
 * frame has an opaque origin: it cannot see the surrounding page, and makes no requests.
 *
 * @module xstate-quiver/inspector/view
 */
import { pack, withTrace } from './model/packed.js';
import { complaintAbout } from './model/reader.js';
import { thrownText } from '../machines/errors.js';

const STYLE = ':host { display: block; block-size: 40rem; } iframe { inline-size: 100%; block-size: 100%; border: 0; }';

/** Without a DOM, as in server-side rendering, the module can be imported and does nothing. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

async function load(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok)
    throw new Error(
      `The trace could not be loaded: ${response.url} responded with status ${response.status}. Check the attribute src.`,
    );
  return response.text();
}

/**
 * The element `<quiver-view src="failure.ndjson">`: shows a trace of a run or a counterexample in a frame. Importing this module
 * defines the element. It is a block, 40rem high by default.
 *
 * `src` is the address of a trace file. `trace` is the text of a trace, and has precedence over `src`. If the trace cannot be loaded or
 * is invalid, the element shows the reason and dispatches an event `error` with the reason as its `message`. A trace with an error
 * further on is shown up to the error, with a notice. The frame contains the page that `quiver explore` serves. Gestures on a run need
 * its server.
 *
 * @example
 * ```ts
 * import { QuiverView } from 'xstate-quiver/inspector/view';
 *
 * const view = new QuiverView();
 * view.src = './failure.ndjson';
 * document.body.append(view);
 * ```
 * @experimental
 */
export class QuiverView extends Base {
  static readonly observedAttributes = ['src'];

  private readonly frame = globalThis.document?.createElement('iframe');
  private text: string | null = null;
  private showing = 0;

  /** The address of a trace file, as the attribute of the same name; empty for none. */
  get src(): string {
    return this.getAttribute('src') ?? '';
  }
  set src(address: string) {
    this.setAttribute('src', address);
  }

  /** The text of a trace, shown instead of `src`; `null` for none. */
  get trace(): string | null {
    return this.text;
  }
  set trace(text: string | null) {
    this.text = text;
    void this.show();
  }

  /** @internal */
  connectedCallback(): void {
    if (!this.shadowRoot) {
      const style = document.createElement('style');
      style.textContent = STYLE;
      this.frame.title = 'a trace in the Quiver inspector';
      this.frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
      this.attachShadow({ mode: 'open' }).append(style, this.frame);
    }
    void this.show();
  }

  /** @internal */
  attributeChangedCallback(): void {
    void this.show();
  }

  private async show(): Promise<void> {
    if (!this.isConnected || !this.shadowRoot) return;
    const turn = ++this.showing;
    try {
      const shown = await this.page();
      if (turn === this.showing) this.frame.srcdoc = shown;
    } catch (error) {
      if (turn === this.showing) this.fail(thrownText(error));
    }
  }

  private async page(): Promise<string> {
    if (this.text === null && this.src === '') return '';
    // Large, and wanted only now.
    const [{ default: page }, { default: engine }, trace] = await Promise.all([
      import('./page/whole/index.js'),
      import('./page/chart-engine.js'),
      this.text ?? load(this.src),
    ]);
    const complaint = complaintAbout(trace);
    if (complaint !== null) throw new Error(complaint);
    return withTrace(page, await pack(trace), engine);
  }

  private fail(message: string): void {
    const line = document.createElement('p');
    line.textContent = `quiver-view: ${message}`;
    this.frame.srcdoc = line.outerHTML;
    this.dispatchEvent(new ErrorEvent('error', { message }));
  }
}

globalThis.customElements?.define('quiver-view', QuiverView);
