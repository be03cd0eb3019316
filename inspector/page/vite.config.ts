import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** One page with relative addresses, so that it works below any path; with `--mode whole` in one piece, for files that hold a trace. */
export default defineConfig(({ mode }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  build: {
    outDir: `../../dist/inspector/page${mode === 'whole' ? '/whole' : ''}`,
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { output: mode === 'whole' ? { codeSplitting: false } : {} },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
}));
