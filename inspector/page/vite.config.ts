import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/**
 * The page in one piece, for files and elements that hold a trace. Its content security policy lets nothing run but the page's own script,
 * and nothing be asked of anybody.
 */
const inOnePiece: Plugin = {
  name: 'in one piece',
  writeBundle({ dir }, bundle) {
    const outputs = Object.values(bundle);
    const sheet = outputs.find((output) => output.type === 'asset' && output.fileName.endsWith('.css'));
    const code = outputs.find((output) => output.type === 'chunk' && output.isEntry);
    if (sheet?.type !== 'asset' || code?.type !== 'chunk') throw new Error('the page has no style sheet, or no script');
    const style = String(sheet.source);
    // The end tag of a script in the text would end the script element here.
    const script = code.code.replaceAll('</script', String.raw`<\/script`);
    const policy = `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'`;
    const file = join(dir!, 'index.html');
    const page = readFileSync(file, 'utf8')
      .replace(/<script type="module"[^>]*><\/script>/, '')
      .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
      .replace(
        '<meta charset="utf-8" />',
        (charset) => `${charset}<meta http-equiv="content-security-policy" content="${policy}" />`,
      )
      .replace('</body>', () => `<script type="module">${script}</script></body>`);
    // As a module, which every bundler finds.
    writeFileSync(join(dir!, 'index.js'), `export default ${JSON.stringify(page)};\n`);
    rmSync(file);
    rmSync(join(dir!, 'assets'), { recursive: true });
  },
};

/**
 * ELK, which lays out charts, next to the page: compressed, as a module that every bundler finds. The page starts it as a worker. A page
 * with its trace in one file contains it.
 */
const chartEngine: Plugin = {
  name: 'chart engine',
  generateBundle() {
    const fileOf = (path: string) => readFileSync(createRequire(import.meta.url).resolve(`elkjs/${path}`));
    const worker = fileOf('lib/elk-worker.min.js');
    const notice = '/*! ELK (elkjs), EPL-2.0 OR GPL-3.0-or-later, https://github.com/kieler/elkjs */';
    const source = `${notice}\nexport default "${gzipSync(worker, { level: 9 }).toString('base64')}";\n`;
    this.emitFile({ type: 'asset', fileName: 'chart-engine.js', source });
    this.emitFile({ type: 'asset', fileName: 'chart-engine.license.md', source: fileOf('LICENSE.md') });
  },
};

/** One page with relative addresses, so that it works below any path; with `--mode whole` in one piece. */
export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [mode === 'whole' ? inOnePiece : chartEngine],
  build: {
    outDir: `../../dist/inspector/page${mode === 'whole' ? '/whole' : ''}`,
    emptyOutDir: true,
    license: mode === 'whole' ? false : { fileName: 'licenses.md' },
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { output: mode === 'whole' ? { codeSplitting: false } : {} },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}));
