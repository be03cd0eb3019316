/**
 * A trace and the page that shows it as one HTML file: it opens from a disk, an issue or a CI artefact, without a server and without a
 * net. Its content security policy lets nothing run but the page's own script, and nothing be asked of anybody; the trace is data in it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { UsageError } from '../../machines/errors.js';
import { builtPage } from '../server.js';

/** Where the page looks for its trace. */
const TRACE_ID = 'trace';

export function pageFile(trace: string, page: URL = builtPage()): string {
  const whole = new URL('whole/', page);
  if (!existsSync(whole)) throw new UsageError('the page of the inspector is not built; run npm run build');
  const assets = new URL('assets/', whole);
  const textOf = (ending: RegExp) => {
    const name = readdirSync(assets).find((file) => ending.test(file));
    return readFileSync(new URL(name!, assets), 'utf8');
  };
  // What ends a script element in its text would end it here.
  const script = textOf(/^index.*\.js$/).replaceAll('</script', String.raw`<\/script`);
  const style = textOf(/^index.*\.css$/);
  const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; img-src data: blob:; base-uri 'none'; form-action 'none'`;
  const data = gzipSync(trace).toString('base64');
  const html = readFileSync(new URL('index.html', whole), 'utf8')
    .replace(/<script type="module"[^>]*><\/script>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(
      '<meta charset="utf-8" />',
      (charset) => `${charset}<meta http-equiv="content-security-policy" content="${policy}" />`,
    );
  const parts = `<script type="application/gzip" id="${TRACE_ID}">${data}</script><script type="module">${script}</script>`;
  return html.replace('</body>', () => `${parts}</body>`);
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
