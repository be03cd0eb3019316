/**
 * The slices: the files that are mutated, and the tests for them.
 *
 * A mutant is tried only with the slice's tests, in the order of this list, and the first failure ends it: small tests come first. A
 * slice that has not ended after its minutes is stopped, and nothing of it is recorded.
 */

const world = (...names) => names.map((name) => `network/world/${name}.ts`);

const transports = (...names) => names.map((name) => `adapters/transports/${name}.ts`);

const locks = (...names) => names.map((name) => `adapters/locks/${name}.ts`);

const topology = (...names) => names.map((name) => `network/topology/${name}.ts`);

/** @type {Record<string, { files: string[]; tests: string[]; minutes: number }>} */
export const slices = {
  types: {
    files: [...world('choice', 'driver'), 'network/scenario/types.ts', ...transports('transport')],
    tests: ['network/world/links.test.ts'],
    minutes: 10,
  },
  links: { files: world('links'), tests: ['network/world/links.test.ts'], minutes: 10 },
  flights: {
    files: world('flights', 'pending', 'commands'),
    tests: ['network/world/flights.test.ts', 'network/world/pending.test.ts'],
    minutes: 10,
  },
  environment: {
    files: world('environment', 'script'),
    tests: ['network/world/environment.test.ts', 'network/world/script.test.ts'],
    minutes: 30,
  },
  traffic: {
    files: world('traffic', 'corrupt'),
    tests: ['network/world/traffic.test.ts', 'network/world/choices.test.ts'],
    minutes: 20,
  },
  configuration: { files: world('configuration'), tests: ['network/world/configuration.test.ts'], minutes: 10 },
  world: {
    files: world('world', 'enabled'),
    tests: ['network/world/choices.test.ts', 'network/world/enabled.test.ts', 'network/world/reload.test.ts'],
    minutes: 30,
  },
  node: { files: world('node'), tests: ['network/world/node.test.ts'], minutes: 15 },
  compile: { files: world('compile'), tests: ['network/world/compile.test.ts'], minutes: 15 },
  remembering: {
    files: world('remembering', 'operations'),
    tests: ['operations', 'from-memory', 'kernel', 'remembering'].map((name) => `network/world/${name}.test.ts`),
    minutes: 55,
  },
  alone: { files: ['test/machine/alone.ts'], tests: ['test/machine/alone.test.ts'], minutes: 30 },
  hosts: {
    files: world('hosts'),
    tests: ['network/world/hosts.test.ts', 'network/world/kernel.test.ts'],
    minutes: 30,
  },
  selections: {
    files: world('selections'),
    tests: ['network/world/event-descriptors.test.ts', 'network/selections.test.ts'],
    minutes: 20,
  },
  selected: { files: world('selected-in'), tests: ['network/selections.test.ts'], minutes: 40 },
  arrivals: {
    files: ['network/arrivals.ts', 'network/latency.ts'],
    tests: ['network/latency.test.ts', 'network/arrivals.test.ts', 'network/held-up.test.ts'],
    minutes: 15,
  },
  clock: {
    files: ['network/clock.ts', 'network/random.ts', 'network/vector-clocks.ts'],
    tests: ['network/vector-clocks.test.ts', 'network/random.test.ts', 'network/clock.test.ts'],
    minutes: 15,
  },
  monitor: {
    files: ['network/monitor.ts', 'network/evaluation.ts'],
    tests: ['network/monitor.test.ts', 'network/monitor-kinds.test.ts'],
    minutes: 30,
  },
  timers: {
    files: ['timers', 'timing', 'medium'].map((name) => `network/${name}.ts`),
    tests: ['network/timers.test.ts'],
    minutes: 20,
  },
  transcripts: {
    files: ['transcript', 'copy', 'chart-definition', 'recorder', 'report'].map((name) => `network/${name}.ts`),
    tests: ['transcript', 'copy', 'chart-definition', 'recorder'].map((name) => `network/${name}.test.ts`),
    minutes: 45,
  },
  trace: { files: ['network/trace.ts'], tests: ['network/recorder.test.ts'], minutes: 10 },
  files: {
    files: topology('files', 'gml', 'contacts'),
    tests: ['network/topology/files.test.ts', 'network/topology/gml.test.ts'],
    minutes: 20,
  },
  moving: {
    files: topology('moving', 'link-changes'),
    tests: ['network/topology/moving.test.ts'],
    minutes: 15,
  },
  generators: {
    files: topology('random-graphs', 'backbones'),
    tests: topology('backbones.test', 'generators.test'),
    minutes: 30,
  },
  text: {
    files: ['network/scenario/text.ts'],
    tests: ['network/scenario/text.test.ts'],
    minutes: 15,
  },
  required: { files: ['network/scenario/required.ts'], tests: ['network/scenario/required.test.ts'], minutes: 10 },
  events: {
    files: ['network/scenario/events.ts'],
    tests: ['refusals', 'parse', 'page'].map((name) => `network/scenario/${name}.test.ts`),
    minutes: 30,
  },
  scenario: {
    files: ['parse', 'scenario', 'read'].map((name) => `network/scenario/${name}.ts`),
    tests: ['refusals', 'parse', 'nearest'].map((name) => `network/scenario/${name}.test.ts`),
    minutes: 40,
  },
  channels: { files: ['adapters/node/channels.ts'], tests: ['adapters/node/channels.test.ts'], minutes: 10 },
  host: {
    files: ['adapters/node/host.ts', 'adapters/node/node-logic.ts'],
    tests: ['adapters/node/node-logic.test.ts', 'adapters/node/host.test.ts'],
    minutes: 15,
  },
  neighbors: {
    files: ['ports', 'neighbors', 'safety', 'graph', 'watchers', 'node-options'].map((name) => `adapters/node/${name}.ts`),
    tests: ['adapters/node/neighbors.test.ts', 'adapters/node/node-options.test.ts'],
    minutes: 20,
  },
  'live-node': {
    files: ['adapters/node/node.ts'],
    tests: ['live-node', 'live-commands', 'live-ends'].map((name) => `adapters/node/${name}.test.ts`),
    minutes: 40,
  },
  presence: { files: ['adapters/node/presence.ts'], tests: ['adapters/node/presence.test.ts'], minutes: 10 },
  sealed: { files: transports('sealed'), tests: transports('seals.test', 'seals-keys.test'), minutes: 45 },
  lines: { files: transports('bounded-line'), tests: transports('backlogs.test', 'bounded-line.test'), minutes: 30 },
  reconnecting: { files: transports('reconnecting'), tests: transports('reconnected.test', 'reconnecting.test'), minutes: 40 },
  hub: { files: transports('hub'), tests: transports('hub-frames.test', 'hub.test'), minutes: 50 },
  options: {
    files: ['options', 'environment', 'limits', 'clocks', 'parts'].map((name) => `adapters/${name}.ts`),
    tests: ['options', 'environment', 'clocks', 'parts'].map((name) => `adapters/${name}.test.ts`),
    minutes: 40,
  },
  storage: {
    files: ['storage', 'folder', 'indexed-db', 'jet-stream'].map((name) => `adapters/storage/${name}.ts`),
    tests: ['adapters/storage/kept.test.ts'],
    minutes: 20,
  },
  linked: {
    files: ['adapters/linked.ts'],
    tests: ['linked.options', 'linked-peers', 'linked-wire'].map((name) => `adapters/${name}.test.ts`),
    minutes: 40,
  },
  outgoing: { files: ['adapters/outgoing.ts'], tests: ['adapters/outgoing.test.ts'], minutes: 20 },
  reading: { files: transports('reading'), tests: transports('reading.test'), minutes: 20 },
  frames: {
    files: transports('frame', 'envelope', 'drops', 'backlog', 'rate'),
    tests: transports('drops.test', 'rate.test', 'envelope.test', 'frame.test'),
    minutes: 30,
  },
  ids: {
    files: transports('ids', 'origins', 'refusals', 'linked-peers', 'absence', 'later', 'promises'),
    tests: transports('ids.test', 'origins.test', 'explained.test', 'waiting.test'),
    minutes: 30,
  },
  made: { files: locks('locks-node', 'locks-metrics'), tests: locks('locks-node.test', 'locks-made.test'), minutes: 20 },
  questions: {
    files: ['adapters/controller/controller-node.ts'],
    tests: ['adapters/controller/questions.test.ts'],
    minutes: 20,
  },
  status: { files: locks('lock-queues', 'locks-status'), tests: locks('lock-queues.test', 'locks-status.test'), minutes: 20 },
  unserved: { files: locks('unserved'), tests: locks('unserved-reasons.test', 'unserved.test'), minutes: 45 },
  register: {
    files: locks('register', 'register-lock'),
    tests: locks('register-values.test', 'register-peer.test', 'register-copies.test', 'register.test', 'register-members.test'),
    minutes: 60,
  },
  copies: {
    files: locks('register-copies', 'register-questions', 'register-moves', 'register-room'),
    tests: locks('register-copies.test', 'register-peer.test', 'register-room.test', 'register-members.test'),
    minutes: 60,
  },
  lasting: {
    files: locks('lasting-quota', 'lasting-names'),
    tests: locks('lasting.test'),
    minutes: 20,
  },
  locks: {
    files: [...locks('locks'), ...transports('errors')],
    tests: [...transports('errors.test'), ...locks('status.test', 'locks.test', 'requests.test')],
    minutes: 60,
  },
  'lock-logic': { files: locks('lock', 'tab-locks'), tests: locks('lock.test', 'tab-locks.test'), minutes: 30 },
  election: { files: ['adapters/election.ts'], tests: ['adapters/election.test.ts'], minutes: 60 },
  neighborhood: { files: ['adapters/neighborhood.ts'], tests: ['adapters/neighborhood.test.ts'], minutes: 20 },
  queues: {
    files: ['adapters/queue/queue.ts', 'adapters/queue/multicast.ts'],
    tests: ['adapters/queue/queue.test.ts'],
    minutes: 60,
  },
  stage: {
    files: ['test/machine/stage.ts'],
    tests: ['alone', 'zone', 'restore', 'machine'].map((name) => `test/machine/${name}.test.ts`),
    minutes: 30,
  },
  network: {
    files: ['network', 'simulation'].map((name) => `network/${name}.ts`),
    tests: ['medium', 'anonymous', 'held-up', 'network'].map((name) => `network/${name}.test.ts`),
    minutes: 60,
  },
  drivers: {
    files: transports('driver', 'in-process', 'guarantees'),
    tests: transports('driver.test', 'wrong-uses.test', 'explained.test', 'in-process.test', 'waiting.test'),
    minutes: 40,
  },
  ports: {
    files: transports('message-port', 'broadcast-channel'),
    tests: transports('wrong-uses.test', 'broadcast-channel.test', 'message-port.test'),
    minutes: 40,
  },
  tabs: {
    files: transports('tabs'),
    tests: locks('visits.test', 'tab-locks.test', 'listed-tabs.test'),
    minutes: 60,
  },
  conformance: {
    files: transports('conformance', 'conformance-peer', 'conformance-wire'),
    tests: transports('conformance.test'),
    minutes: 40,
  },
  upgrades: {
    files: transports('upgrades', 'one-request', 'mesh-contact'),
    tests: transports('mesh-contact.test', 'upgrades.test', 'one-request.test'),
    minutes: 40,
  },
  brokers: { files: transports('nats', 'mqtt', 'connected'), tests: transports('nats.test', 'mqtt.test'), minutes: 60 },
  sockets: {
    files: transports('web-socket', 'through-hub', 'web-socket-hub', 'web-socket-listener'),
    tests: transports('refusals.test', 'hub.test', 'web-socket.test', 'web-socket-hub.test', 'web-socket-limits.test'),
    minutes: 90,
  },
  mesh: {
    files: transports('web-socket-mesh'),
    tests: [...transports('mesh-contact.test', 'web-socket-mesh.test'), 'adapters/standstill.test.ts'],
    minutes: 90,
  },
  queue: {
    files: locks('lock-queue', 'lock-handle', 'locks-options', 'visits'),
    tests: locks('locks-options.test', 'visits.test', 'lock-queue.test', 'turns.test'),
    minutes: 40,
  },
  graph: {
    files: topology('metric', 'validate', 'kinds', 'index'),
    tests: ['metric', 'generators', 'backbones', 'files'].map((name) => `network/topology/${name}.test.ts`),
    minutes: 40,
  },
  others: { files: ['adapters/storage/others.ts'], tests: ['adapters/storage/others.test.ts'], minutes: 15 },
  kernel: {
    files: world('kernel'),
    tests: ['interpreter', 'kernel', 'choices', 'from-memory', 'node', 'hosts'].map((name) => `network/world/${name}.test.ts`),
    minutes: 30,
  },
  schema: { files: ['network/scenario/schema.ts'], tests: ['network/scenario/schema.test.ts'], minutes: 20 },
  members: {
    files: locks('members', 'patience'),
    tests: locks('patience.test', 'members-lists.test', 'members-stored.test', 'members.test'),
    minutes: 40,
  },
  objects: {
    files: ['quota', 'names', 'bank', 'checks'].map((name) => `adapters/controller/${name}.ts`),
    tests: ['questions', 'quota', 'at-once'].map((name) => `adapters/controller/${name}.test.ts`),
    minutes: 40,
  },
  availability: { files: ['adapters/locks/availability.ts'], tests: ['adapters/locks/availability.test.ts'], minutes: 10 },
};
