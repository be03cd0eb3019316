/**
 * A small day of contacts, invented: three teams in three rooms, coffee, a talk for all, and the way home.
 *
 * The recorder reports every pair that is together, every 20 seconds, as face-to-face studies do. The list has their format, a line `t i j`
 * each. A real one has the same form and thousands of lines: `quiver explore --story districts --contacts FILE`.
 */
interface Meeting {
  readonly from: number;
  readonly to: number;
  readonly who: readonly string[];
}

const meeting = (from: number, to: number, who: string): Meeting => ({ from, to, who: who.split(' ') });

const MEETINGS: readonly Meeting[] = [
  // Arriving in twos and threes.
  meeting(0, 300, 'ann bob'),
  meeting(60, 300, 'eve fay'),
  meeting(120, 300, 'ida jan kay'),
  // Three teams in three rooms, and one person who goes from room to room.
  meeting(300, 1200, 'ann bob cem dot'),
  meeting(320, 1200, 'eve fay gus hal'),
  meeting(340, 1200, 'ida jan kay lee'),
  meeting(600, 700, 'dot eve'),
  meeting(840, 940, 'hal ida'),
  // Coffee: a queue, in which all talk to the next one.
  meeting(1240, 1600, 'ann eve'),
  meeting(1240, 1600, 'eve ida'),
  meeting(1240, 1600, 'ida bob'),
  meeting(1240, 1600, 'bob fay'),
  meeting(1260, 1600, 'fay jan'),
  meeting(1260, 1600, 'jan cem'),
  meeting(1260, 1600, 'cem gus'),
  meeting(1260, 1600, 'gus kay'),
  // A talk: rows of chairs.
  meeting(1700, 2600, 'ann bob cem dot'),
  meeting(1700, 2600, 'dot eve fay gus'),
  meeting(1720, 2600, 'gus hal ida jan'),
  meeting(1720, 2600, 'jan kay lee'),
  // Home, two by two.
  meeting(2640, 3000, 'ann kay'),
  meeting(2640, 3100, 'bob fay'),
  meeting(2660, 3200, 'hal lee'),
];

const EVERY = 20;

export function contactDay(): string {
  const lines: { at: number; pair: string }[] = [];
  for (const { from, to, who } of MEETINGS)
    for (let at = from; at < to; at += EVERY)
      for (const [i, one] of who.entries()) for (const other of who.slice(i + 1)) lines.push({ at, pair: `${one} ${other}` });
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ at, pair }) => `${at} ${pair}\n`)
    .join('');
}
