// Builds dist/: the library by tsc (unbundled, so go-to-definition and tree-shaking keep working), the page by vite.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';

const run = (bin, ...args) => execFileSync(`node_modules/.bin/${bin}`, args, { stdio: 'inherit' });

rmSync('dist', { recursive: true, force: true });
run('tsc', '-p', 'tsconfig.build.json');
if (existsSync('inspector/page/index.html')) run('vite', 'build', 'inspector/page', '--logLevel', 'warn');
