// Runs all comparisons, or those that are named, and prints a table of each: `node index.mjs [locks] [fail-over] [hand-over] [idle-clients] [quota] [election] [cluster] [cluster-moves] [cluster-memory] [tabs] [tabs-pass-on]`.
import { loadavg } from 'node:os';
import { hasCommand } from '../../dist/testing/servers.js';

/** Names of Debian packages that differ from the command. */
const PACKAGES = { etcd: 'etcd-server', postgres: 'postgresql' };

const PARTS = {
  locks: { needs: ['redis-server', 'etcd'], run: async () => (await import('./locks.mjs')).compareLocks() },
  'fail-over': { needs: ['redis-server', 'etcd'], run: async () => (await import('./fail-over.mjs')).compareFailOver() },
  'hand-over': { needs: [], run: async () => (await import('./hand-over.mjs')).traceHandOvers() },
  'idle-clients': { needs: [], run: async () => (await import('./idle-clients.mjs')).idleClients() },
  quota: { needs: ['redis-server'], run: async () => (await import('./quota.mjs')).quota() },
  election: { needs: [], run: async () => (await import('./election.mjs')).compareElections() },
  cluster: { needs: ['redis-server', 'postgres'], run: async () => (await import('./cluster.mjs')).compareCluster() },
  'cluster-moves': { needs: [], run: async () => (await import('./cluster.mjs')).measureMoves() },
  'cluster-memory': { needs: [], run: async () => (await import('./cluster.mjs')).measureMemory() },
  tabs: { needs: ['chromium'], run: async () => (await import('./tabs.mjs')).withTabs() },
  'tabs-pass-on': { needs: ['chromium'], run: async () => (await import('./tabs.mjs')).passLocksOn() },
};

const named = process.argv.slice(2);
const load = () => `load ${loadavg()[0].toFixed(1)}`;
for (const [name, { needs, run }] of Object.entries(PARTS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const missing = needs.filter((command) => !hasCommand(command)).map((command) => PACKAGES[command] ?? command);
  if (missing.length > 0) {
    const packages = missing.join(' ');
    console.log(`${name} is not run: it needs ${packages} (Debian: apt-get install -y --no-install-recommends ${packages})\n`);
    continue;
  }
  const before = load();
  const rows = await run();
  console.log(`${table(rows)}\n(${before} before, ${load()} after)\n`);
}
// A rival keeps a socket open that cannot be closed.
process.exit();

/** In Markdown, as it is in docs/evidence/peers.md. */
function table(rows) {
  const columns = Object.keys(rows[0]);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(columns.map((column) => row[column])))].join(
    '\n',
  );
}
