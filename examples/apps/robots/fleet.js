/**
 * Robots on a floor. Each locks its neighborhood, moves by one cell, and releases its locks, without names and without a dispatcher: a
 * robot knows its neighbors by the ports of its radio (docs/exclusion.md).
 *
 * Robots do not collide because a moving robot holds all robots in range, so none of those moves. Other robots are at least three cells
 * away, so two robots cannot reach one cell with one step each. This requires working radios: a robot without links is not locked by
 * others. So a careful robot looks before it moves, and waits if it sees a robot without a link to it.
 */
import { parseScenario, Simulation } from 'xstate-quiver/network';
import { protocols } from 'xstate-quiver/machines';
import { Floor } from './floor.js';

/** Duration of a move by one cell, and of the rest between two moves, in ticks. */
const MOVE_TICKS = 30;
const REST_TICKS = 3;

/**
 * @typedef {object} Fleet
 * @property {number} robots
 * @property {number} size of the floor
 * @property {number} ticks duration of the run
 * @property {number} seed of the draws of the protocol
 * @property {string} [deaf] a robot whose radio fails
 * @property {number} [failsAt] tick of the failure, 0 by default
 * @property {boolean} isCareful whether a robot looks before it moves
 */

const linkOf = (/** @type {string} */ a, /** @type {string} */ b) => [a, b].sort().join(' ');

/**
 * Runs a fleet. Returns its results, and a scenario that repeats the run.
 * @param {Fleet} fleet
 */
export function run(fleet) {
  const going = new Going(fleet);
  const report = going.simulation.run();
  const { floor, moves, waits, collisions, scenario, events } = going;
  const picture = going.picture || floor.picture;
  return { moves, waits, trips: floor.trips, collisions, picture, report, scenario: { ...scenario, events } };
}

class Going {
  moves = 0;
  waits = 0;
  /** @type {string[]} */
  collisions = [];
  /** The floor at the first collision. */
  picture = '';
  /**
   * What the robots did and what became of their links, as the events of a scenario.
   * @type {Record<string, unknown>[]}
   */
  events = [];

  /** @param {Fleet} fleet */
  constructor(fleet) {
    this.fleet = fleet;
    this.floor = new Floor(fleet.size, fleet.robots);
    this.linked = this.#inRange(() => true);
    this.scenario = {
      protocol: 'exclusion',
      topology: { nodes: this.floor.robots, links: [...this.linked].map((link) => [...link.split(' '), 1]) },
      network: { latency: 1 },
      options: { hold: null, rules: 'deferred' },
      seed: fleet.seed,
      until: { idle: true },
    };
    this.simulation = new Simulation(parseScenario(this.scenario, protocols), { host: 'snapshots' });
    this.simulation.network.notifications$.subscribe(({ node, notification }) => {
      if (notification.type === 'locked') this.#later(1, () => this.#go(node));
    });
    this.#later(1, () => this.floor.robots.forEach((robot) => this.#tell(robot, 'lock')));
    if (fleet.deaf) this.#later(fleet.failsAt ?? 0, () => this.#relink());
  }

  get #now() {
    return this.simulation.clock.now();
  }

  /** @param {number} ticks @param {() => void} what */
  #later(ticks, what) {
    this.simulation.clock.schedule(what, ticks);
  }

  /** @param {string} node @param {'lock' | 'unlock'} name */
  #tell(node, name) {
    this.events.push({ at: this.#now, node, do: name });
    this.simulation.network.perform({ do: 'command', node, name, fields: {} });
  }

  /** All pairs in range of each other whose radios work. @param {(robot: string) => boolean} isHeard */
  #inRange(isHeard) {
    const pairsOf = (/** @type {string} */ a) => this.floor.near(a).flatMap((b) => (isHeard(b) ? [linkOf(a, b)] : []));
    return new Set(this.floor.robots.filter(isHeard).flatMap(pairsOf));
  }

  /** Adds a link for each pair that comes into range, and removes those that leave it. */
  #relink() {
    const { deaf, failsAt = 0 } = this.fleet;
    const near = this.#inRange((robot) => robot !== deaf || this.#now < failsAt);
    for (const link of new Set([...this.linked, ...near])) {
      if (this.linked.has(link) === near.has(link)) continue;
      const [a, b] = /** @type {[string, string]} */ (link.split(' '));
      const what = near.has(link) ? 'join' : 'cut';
      this.events.push({ at: this.#now, do: what, link: [a, b] });
      this.simulation.network.perform({ do: what, link: [a, b] });
    }
    this.linked = near;
  }

  /** Moves a robot that has locked its neighborhood. @param {string} robot */
  #go(robot) {
    const cell = this.floor.step(robot);
    const isSafe = this.floor.near(robot).every((other) => this.linked.has(linkOf(robot, other)));
    if (!cell || (this.fleet.isCareful && !isSafe)) {
      this.waits++;
      this.#letGo(robot);
    } else this.#later(MOVE_TICKS, () => this.#arrive(robot, cell));
  }

  /** @param {string} robot @param {import('./floor.js').Cell} cell */
  #arrive(robot, cell) {
    this.moves++;
    const hit = this.floor.move(robot, cell);
    if (hit.length > 0) {
      this.collisions.push(`${robot} runs into ${hit.join()} at tick ${this.#now}`);
      this.picture ||= this.floor.picture;
    }
    this.#relink();
    this.#letGo(robot);
  }

  /** @param {string} robot */
  #letGo(robot) {
    this.#tell(robot, 'unlock');
    this.#later(REST_TICKS, () => {
      if (this.#now < this.fleet.ticks) this.#tell(robot, 'lock');
    });
  }
}
