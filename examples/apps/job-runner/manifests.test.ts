/** Consistency of the manifests with the program, so that a mistake is found here and not in the cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const main = read('main.js');
/** Environment variables of the program, with their defaults. */
const settings = new Map(
  [.../const \{([^}]*)\} = process\.env/.exec(main)![1]!.matchAll(/^ +([A-Z_]+)(?:: \w+)?(?: = (.*))?,$/gm)].map(
    ([, name, value]) => [name!, value?.replaceAll("'", '')],
  ),
);
const graceSeconds = Number(settings.get('GRACE_MS')) / 1_000;
const paths = [...read('http.js').matchAll(/url === '(\/\w+)'/g)].map(([, path]) => path);
const sorted = (names: readonly string[]) => names.toSorted().join();

/** All that is wrong with Kubernetes documents, each with its place. */
function wrongWithKubernetes(text: string): string[] {
  const documents: any[] = parseAllDocuments(text).map((document) => document.toJS());
  const ofKind = (kind: string) => documents.filter((one) => one.kind === kind);
  const services = new Map(ofKind('Service').map((one) => [one.metadata.name, one.spec]));
  const wrong: string[] = [];
  const unless = (isSo: boolean, what: string) => void (isSo || wrong.push(what));
  for (const { metadata, spec } of ofKind('StatefulSet')) {
    const { name } = metadata;
    const { labels } = spec.template.metadata;
    const [container] = spec.template.spec.containers;
    const service = services.get(spec.serviceName);
    const ports = new Map<unknown, number>(container.ports.map((port: any) => [port.name, port.containerPort]));
    unless(service?.clusterIP === 'None', `${name}: its service is not headless, so its pods have no names`);
    unless(
      service?.ports.every((port: any) => ports.has(port.targetPort)),
      `${name}: its service leads to no port of it`,
    );
    for (const { selector } of [service, { selector: spec.selector.matchLabels }])
      unless(
        Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value),
        `${name}: a selector finds no pod`,
      );
    unless(/^[\w/-]+:[\d.]+[\w.-]*$/.test(container.image), `${name}: the image ${container.image} has no version`);
    for (const probe of ['livenessProbe', 'readinessProbe'])
      if (container[probe]) unless(ports.has(container[probe].httpGet.port), `${name}: ${probe} asks a port that is not there`);
  }

  const set = ofKind('StatefulSet').find((one) => one.metadata.name === 'job-runner')?.spec;
  const { containers, terminationGracePeriodSeconds } = set.template.spec;
  const [{ env, ports, livenessProbe, readinessProbe }] = containers;
  const given = new Map<string, any>(env.map((one: any) => [one.name, one.value ?? one.valueFrom.fieldRef.fieldPath]));
  for (const name of given.keys()) unless(settings.has(name), `env ${name}: the program does not read it`);
  unless(given.get('ID') === 'metadata.name', 'env ID: it is not the name of the pod');
  const pods = Array.from({ length: set.replicas }, (_, i) => `job-runner-${i}`);
  unless(sorted(given.get('PEERS').split(',')) === sorted(pods), 'env PEERS: these are not the pods');
  const nats = new URL(given.get('NATS_URL'));
  unless(
    services.get(nats.hostname)?.ports.some(({ port }: any) => port === Number(nats.port)),
    'env NATS_URL: no such service',
  );
  unless(Number(given.get('PORT') ?? settings.get('PORT')) === ports[0].containerPort, 'env PORT: not the port of the container');
  unless(set.podManagementPolicy === 'Parallel', 'pods one after the other: the first waits for a majority for ever');
  unless(terminationGracePeriodSeconds > graceSeconds, 'the pod is killed before its jobs had their time');
  for (const probe of [livenessProbe, readinessProbe])
    unless(paths.includes(probe?.httpGet.path), `nobody answers at ${probe?.httpGet.path}`);
  unless(livenessProbe?.httpGet.path !== '/readyz', 'a worker without a majority is killed, which makes it worse');
  const [budget] = ofKind('PodDisruptionBudget');
  unless(budget?.spec.maxUnavailable <= (set.replicas - 1) / 2, 'a drain may take the majority');
  unless(ofKind('ConfigMap')[0]?.data['nats.conf'].includes('sync_interval: always'), 'NATS may forget what it acknowledged');
  return wrong;
}

function wrongWithCompose(text: string): string[] {
  const { services, configs, volumes } = parse(text, { merge: true });
  const wrong: string[] = [];
  const unless = (isSo: boolean, what: string) => void (isSo || wrong.push(what));
  const workers = Object.entries<any>(services).filter(([name]) => name.startsWith('worker'));
  for (const [name, { build, environment, depends_on, ports, restart, stop_grace_period, healthcheck }] of workers) {
    unless(
      build === '.' && depends_on.every((one: string) => one in services),
      `${name}: it is built from, or waits for, nothing`,
    );
    for (const key of Object.keys(environment)) unless(settings.has(key), `${name}: the program does not read ${key}`);
    unless(environment.ID === name, `${name}: it is called ${environment.ID}`);
    unless(sorted(environment.PEERS.split(',')) === sorted(workers.map(([one]) => one)), `${name}: PEERS are not the workers`);
    unless(new URL(environment.NATS_URL).hostname in services, `${name}: no such server`);
    unless(ports[0].endsWith(`:${environment.PORT ?? settings.get('PORT')}`), `${name}: another port than it listens on`);
    unless(restart !== undefined, `${name}: nobody starts it again`);
    unless(Number.parseInt(stop_grace_period, 10) > graceSeconds, `${name}: it is killed before its jobs had their time`);
    unless(
      paths.some((path) => healthcheck.test.join(' ').includes(path)),
      `${name}: its healthcheck asks for nothing`,
    );
  }
  const outside = workers.map(([, { ports }]) => ports[0].split(':')[0]);
  unless(new Set(outside).size === workers.length, 'two workers want one port');
  unless(
    services.nats.configs.every(({ source }: any) => source in configs),
    'nats: its config is not there',
  );
  unless(
    services.nats.volumes.every((one: string) => one.split(':')[0]! in volumes),
    'nats: its volume is not there',
  );
  unless(configs.nats.content.includes('sync_interval: always'), 'NATS may forget what it acknowledged');
  return wrong;
}

test('the manifests contain all settings and probes of the program', () => {
  expect([...settings.keys()]).toEqual(['ID', 'PEERS', 'NATS_URL', 'PORT', 'JOBS', 'LANES', 'PATIENCE_MS', 'GRACE_MS']);
  expect(paths).toEqual(['/healthz', '/readyz']);
  const needed = [...read('Dockerfile').matchAll(/^COPY (.*) \.\/$/gm)].map(([, files]) => files);
  expect(needed).toEqual(['package.json', '*.js']);
});

test('the manifests contain only settings that the program reads', () => {
  expect(wrongWithKubernetes(read('kubernetes.yaml'))).toEqual([]);
  expect(wrongWithCompose(read('compose.yaml'))).toEqual([]);
});

test.each([
  ['replicas: 3', 'replicas: 4', 'env PEERS: these are not the pods'],
  ['name: PORT,', 'name: HTTP_PORT,', 'env HTTP_PORT: the program does not read it'],
  ['nats://nats:4222', 'nats://nats:4223', 'env NATS_URL: no such service'],
  ["PORT, value: '8080'", "PORT, value: '80'", 'env PORT: not the port of the container'],
  ['Parallel', 'OrderedReady', 'pods one after the other: the first waits for a majority for ever'],
  ['Seconds: 30', 'Seconds: 20', 'the pod is killed before its jobs had their time'],
  ['path: /readyz, port: http', 'path: /ready, port: http', 'nobody answers at /ready'],
  ['path: /healthz, port: http', 'path: /readyz, port: http', 'a worker without a majority is killed, which makes it worse'],
  ['path: /readyz, port: http', 'path: /readyz, port: web', 'job-runner: readinessProbe asks a port that is not there'],
  ['clusterIP: None', 'clusterIP: 10.0.0.1', 'job-runner: its service is not headless, so its pods have no names'],
  ['labels: { app: job-runner }', 'labels: { app: runner }', 'job-runner: a selector finds no pod'],
  ['image: job-runner:1', 'image: job-runner:latest', 'job-runner: the image job-runner:latest has no version'],
  ['maxUnavailable: 1', 'maxUnavailable: 2', 'a drain may take the majority'],
  ['sync_interval: always', 'sync_interval: 2m', 'NATS may forget what it acknowledged'],
])('kubernetes: %s → %s', (before, after, what) => {
  const text = read('kubernetes.yaml');
  expect(text).toContain(before);
  expect(wrongWithKubernetes(text.replace(before, after))).toContain(what);
});

test.each([
  ['ID: worker-1', 'ID: worker-0', 'worker-1: it is called worker-0'],
  ['worker-0,worker-1,worker-2', 'worker-0,worker-1', 'worker-0: PEERS are not the workers'],
  ["'8081:8080'", "'8080:8080'", 'two workers want one port'],
  ["'8081:8080'", "'8081:80'", 'worker-1: another port than it listens on'],
  ['grace_period: 30s', 'grace_period: 10s', 'worker-2: it is killed before its jobs had their time'],
  ['jetstream:/data', 'data:/data', 'nats: its volume is not there'],
])('compose: %s → %s', (before, after, what) => {
  const text = read('compose.yaml');
  expect(text).toContain(before);
  expect(wrongWithCompose(text.replace(before, after))).toContain(what);
});
