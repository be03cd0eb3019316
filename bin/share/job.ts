/**
 * What several processes do together (`--share nats://host:port`): a job in pieces, each of them run by one of them. Everybody is a worker, and
 * everybody tells the sum; nobody is in charge. How pieces are handed out stands in `streams.ts`, how a process takes part in `together.ts`.
 */

/** What a process is to run, as plain data, for one that reads it again: which work, and what that work is given. */
export type SharedTask =
  | { readonly work: 'rehearse'; readonly word: string; readonly runs: number; readonly seed: number | undefined }
  | { readonly work: 'swarm'; readonly word: string; readonly protocols: readonly string[]; readonly seed: number }
  | { readonly work: 'check'; readonly protocols: readonly string[]; readonly options: object };

export interface Job<R> {
  /** The same for everybody who takes part: of what kind it is, and of what. No folders, which may differ from machine to machine. */
  readonly name: string;
  /** What must be the same for everybody, by names that a complaint can tell. */
  readonly terms: Readonly<Record<string, string | number>>;
  readonly task: SharedTask;
  /** How a message calls this piece. */
  readonly titleOf: (piece: number) => string;
  /** What the process that runs this piece is told, beside its task. */
  readonly inputOf: (piece: number) => unknown;
  /** How many pieces matter, as far as these results tell: fewer after a failure, more where pieces turn out to be small. */
  readonly piecesOf: (results: ReadonlyMap<number, R>) => number;
  /** What is the same of two results of one piece: not how long it took. */
  readonly essenceOf: (result: R) => unknown;
}

/** How a piece ended: with a result, or in a way in which it would end everywhere. */
export type PieceEnding<R> = { readonly result: R } | { readonly broken: string; readonly isUsage: boolean };

/** What was done together. */
export interface Together<R> {
  /** Of each piece that matters, in order. */
  readonly results: readonly R[];
  /** How many of them this process has run. */
  readonly ownCount: number;
  /** Pieces that were handed out again, after a worker had gone. */
  readonly againCount: number;
  /** Pieces of which two results came. */
  readonly twice: readonly number[];
}
