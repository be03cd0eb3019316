/** Sets of ports, and values by port, as sorted arrays: equal sets have equal JSON, independent of their history. */

/** Number of a port of a node; 0 is the node itself. */
export type PortNumber = number;
export type Ports = readonly PortNumber[];
/** Values for some of a node's ports, sorted by port. */
export type ByPort<T> = readonly (readonly [PortNumber, T])[];

export const including = (ports: Ports, port: PortNumber): Ports =>
  ports.includes(port) ? ports : [...ports, port].sort((a, b) => a - b);

export const without = (ports: Ports, port: PortNumber): Ports =>
  ports.includes(port) ? ports.filter((other) => other !== port) : ports;

/** Union of two sets without common ports. */
export const joined = (a: Ports, b: Ports): Ports => [...a, ...b].sort((x, y) => x - y);

export const has = <T>(values: ByPort<T>, port: PortNumber): boolean => values.some(([at]) => at === port);

/** Adds a value for a port that has none. */
export const withValue = <T>(values: ByPort<T>, port: PortNumber, value: T): ByPort<T> =>
  [...values, [port, value] as const].sort(([a], [b]) => a - b);

export const withoutValue = <T>(values: ByPort<T>, port: PortNumber): ByPort<T> =>
  has(values, port) ? values.filter(([at]) => at !== port) : values;

/** Port with the strictly largest number, if any. */
export function uniqueMaximum(values: ByPort<number>): PortNumber | null {
  const largest = Math.max(...values.map(([, value]) => value));
  const leaders = values.filter(([, value]) => value === largest);
  return leaders.length === 1 ? leaders[0]![0] : null;
}
