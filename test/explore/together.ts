/**
 * The same search in several threads, each judging its share of the states; the host brings the threads.
 *
 * What a search finds out about charts and properties on its way makes it begin again, and then all threads begin again. The answer,
 * the counts and the counterexample are those of one thread.
 */
import { ProtocolError } from '../../machines/errors.js';
import { attempted, nothingKnown, type Exploration, type Known, type Question } from './examine.js';
import { only, Share, sharedCells } from './share.js';
import type { Findings } from './watch.js';

/** What another thread is asked: to make the same search, and to judge share number `mine` of it. */
export interface Errand {
  readonly known: Known;
  readonly mine: number;
  readonly of: number;
  readonly cells: Int32Array;
}

/** What it answers: what it has found out about its states, or, when it had to give up, what it knows now. */
export interface Answer {
  readonly known: Known;
  readonly findings?: Findings;
  /** Why it did not come to the end. */
  readonly stopped?: string | undefined;
  /** What a chart or property did wrong there. An error keeps its class in one thread alone. */
  readonly broken?: string;
}

/** In another thread: does what it is asked, with the same question. */
export function judgeShare(question: Question, { known, mine, of, cells }: Errand): Answer {
  const share = new Share(mine, of, cells);
  try {
    const examination = attempted(question, known, share);
    if (examination) return { known, findings: examination.watch.findings(), stopped: examination.stopped };
    share.stop();
    return { known };
  } catch (error) {
    share.stop();
    if (error instanceof ProtocolError) return { known, broken: error.message };
    throw error;
  }
}

/** Begins to judge a share elsewhere. */
export type Helper = (errand: Errand) => Promise<Answer>;

export async function examineTogether(question: Question, helpers: readonly Helper[]): Promise<Exploration> {
  const known = nothingKnown();
  const of = helpers.length + 1;
  for (;;) {
    const cells = sharedCells();
    const share = new Share(0, of, cells);
    const answers = Promise.all(helpers.map((help, i) => help({ known, mine: i + 1, of, cells })));
    const examination = attempted(question, known, share);
    if (!examination) share.stop();
    const others = await answers;
    for (const { known: theirs, broken } of others) {
      if (broken !== undefined) throw new ProtocolError(broken);
      learn(known, theirs);
    }
    if (!examination || others.some(({ findings }) => !findings)) continue;
    if (share.violation !== undefined) return alone(question, known, share.violation);
    for (const { findings, stopped } of others) examination.absorb(findings!, stopped);
    return examination.conclusion();
  }
}

/** What one thread would have come to, which has to judge only what is known to violate a property. */
function alone(question: Question, known: Known, violation: number): Exploration {
  for (;;) {
    const examination = attempted(question, known, only(violation));
    if (examination) return examination.conclusion();
  }
}

function learn(known: Known, other: Known): void {
  for (const type of other.signed) known.signed.add(type);
  for (const key of other.ordered) known.ordered.add(key);
  known.newcomers = new Map([...known.newcomers, ...other.newcomers]);
  const { nodes, flights, links } = known.seen;
  const { seen } = other;
  known.seen = { nodes: nodes | seen.nodes, flights: flights || seen.flights, links: links || seen.links };
}
