/**
 * The floor of a warehouse: the position and goal of each robot, its neighbors, and the view of its camera. Independent of the protocol.
 */

/** @typedef {readonly [x: number, y: number]} Cell */

/** Range of the radios: enough for two robots that both move by one cell. */
const RANGE = 2;

/** @param {Cell} a @param {Cell} b */
const distance = (a, b) => Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]));

export class Floor {
  /** @type {Map<string, { at: Cell, goal: Cell, trips: number }>} */
  #robots = new Map();

  /**
   * @param {number} size of its sides, in cells
   * @param {number} robots how many, ten at most
   */
  constructor(size, robots) {
    this.size = size;
    for (let i = 0; i < robots; i++) {
      const at = /** @type {Cell} */ ([(3 * i) % size, Math.floor((3 * i) / size) * 3]);
      this.#robots.set(`r${i}`, { at, goal: this.#goalOf(i, 0), trips: 0 });
    }
  }

  get robots() {
    return [...this.#robots.keys()];
  }

  /** Number of completed trips. */
  get trips() {
    return [...this.#robots.values()].reduce((sum, { trips }) => sum + trips, 0);
  }

  /**
   * The next goal of a robot that goes back and forth between two docks. Half of the robots begin with the other dock.
   * @param {number} robot
   * @param {number} trip
   * @returns {Cell}
   */
  #goalOf(robot, trip) {
    return [(robot + trip) % 2 === 0 ? 0 : this.size - 1, Math.floor(this.size / 2)];
  }

  /** @param {string} robot */
  #of(robot) {
    const found = this.#robots.get(robot);
    if (!found) throw new Error(`unknown robot "${robot}"`);
    return found;
  }

  /**
   * Robots in range of its radio.
   * @param {string} robot
   */
  near(robot) {
    const { at } = this.#of(robot);
    return this.robots.filter((other) => other !== robot && distance(this.#of(other).at, at) <= RANGE);
  }

  /**
   * The free adjacent cell nearest to its goal; `null` if none is nearer than its position.
   * @param {string} robot
   * @returns {Cell | null}
   */
  step(robot) {
    const { at, goal } = this.#of(robot);
    const taken = new Set(this.robots.map((other) => String(this.#of(other).at)));
    const steps = [-1, 0, 1]
      .flatMap((dx) => [-1, 0, 1].map((dy) => /** @type {Cell} */ ([at[0] + dx, at[1] + dy])))
      .filter((cell) => cell.every((part) => part >= 0 && part < this.size) && !taken.has(String(cell)));
    // Go around a robot in the way, even if that is not nearer.
    const [best] = steps
      .filter((cell) => distance(cell, goal) <= distance(at, goal))
      .sort((a, b) => distance(a, goal) - distance(b, goal));
    return best ?? null;
  }

  /**
   * Moves a robot. A robot in that cell has been hit.
   * @param {string} robot
   * @param {Cell} cell
   */
  move(robot, cell) {
    const moved = this.#of(robot);
    moved.at = cell;
    if (distance(cell, moved.goal) === 0) moved.goal = this.#goalOf(Number(robot.slice(1)), ++moved.trips);
    return this.robots.filter((other) => other !== robot && distance(this.#of(other).at, cell) === 0);
  }

  /** A picture of the floor: a digit for each robot, `#` for two robots in one cell. */
  get picture() {
    const rows = Array.from({ length: this.size }, () => Array.from({ length: this.size }, () => '.'));
    for (const [i, { at }] of [...this.#robots.values()].entries()) {
      const row = rows[at[1]] ?? [];
      row[at[0]] = row[at[0]] === '.' ? String(i) : '#';
    }
    return rows.map((row) => row.join(' ')).join('\n');
  }
}
