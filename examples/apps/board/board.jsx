/** The board in React: the connected people, and each card with its lock, which is an actor. */
import { useActor } from '@xstate/react';
import { Component, useEffect, useRef, useState } from 'react';
import { lockLogic } from 'xstate-quiver/locks';

/**
 * @typedef {import('./cards.js').Card} Card
 * @typedef {import('xstate-quiver/locks').Locks} Locks
 */

const COLUMNS = ['to do', 'doing', 'done'];

/**
 * Changes a part of a card. Returns `false` if the server rejects it, because the card has been written with a larger fence.
 * @param {Pick<Card, 'id' | 'by' | 'fence'> & Partial<Card>} change
 */
async function write(change) {
  const { ok, status } = await fetch('cards', { method: 'PATCH', body: JSON.stringify(change) });
  if (!ok && status !== 409) throw new Error(`the server responded with status ${status}`);
  return ok;
}

/** All cards, as the server sends them. */
function useCards() {
  const [cards, setCards] = useState(/** @type {Record<string, Card>} */ ({}));
  useEffect(() => {
    const source = new EventSource('cards');
    source.onmessage = ({ data }) => {
      const card = JSON.parse(data);
      setCards((all) => ({ ...all, [card.id]: card }));
    };
    return () => source.close();
  }, []);
  return Object.values(cards);
}

/** @param {Locks} locks */
function useStatus(locks) {
  const [status, setStatus] = useState(locks.status());
  const [error, setError] = useState('');
  useEffect(() => {
    const subscription = locks.status$.subscribe(setStatus);
    void locks.node.closed.then((error) => setError(error?.message ?? ''));
    return () => subscription.unsubscribe();
  }, [locks]);
  return { ...status, error };
}

/** @param {{ me: string, people: string[], locks: Locks }} props */
export function Board({ me, people, locks }) {
  const cards = useCards();
  const { state, missing, error } = useStatus(locks);
  const isServed = state === 'serving';
  const presence = people.map((name) => {
    const isHere = isServed && !missing.includes(name);
    return (
      <li key={name} className={isHere ? '' : 'away'}>
        {name === me ? `${name} (you)` : name}: {isHere ? 'here' : 'away'}
      </li>
    );
  });
  const add = () => {
    const id = crypto.randomUUID();
    void locks.request(`card ${id}`, ({ fence }) => write({ id, by: me, fence }));
  };
  const columns = COLUMNS.map((column) => (
    <section key={column} aria-label={column}>
      <h2>{column}</h2>
      {cards
        .filter((card) => card.column === column)
        .map((card) => (
          <UnlessFailed key={card.id} instead={<ReadOnlyCard card={card} />}>
            <CardView me={me} card={card} locks={locks} />
          </UnlessFailed>
        ))}
    </section>
  ));
  return (
    <main>
      <h1>Board</h1>
      <ul aria-label="people">{presence}</ul>
      {!isServed && <p role="alert">{error || 'Not connected: cards can be read, and not be written.'}</p>}
      <button onClick={add}>add a card</button>
      <div className="columns">{columns}</div>
    </main>
  );
}

/**
 * The children, and another view after an error: the actor of a lock ends with the error that ends the locks.
 * @extends {Component<{ instead: React.ReactNode, children: React.ReactNode }, { hasFailed: boolean }>}
 */
class UnlessFailed extends Component {
  /** @override */
  state = { hasFailed: false };
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }
  /** @override */
  render() {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}

/** @param {{ card: Card }} props */
const ReadOnlyCard = ({ card }) => (
  <article>
    <textarea aria-label="text" readOnly value={card.text} /> <output>read only</output>
  </article>
);

const WORDS = /** @type {Record<string, string>} */ ({ waiting: 'waiting for its turn', granted: 'yours' });

/** @param {{ me: string, card: Card, locks: Locks }} props */
function CardView({ me, card, locks }) {
  const [{ value, context }, send] = useActor(lockLogic, { input: { locks, name: `card ${card.id}` } });
  const [draft, setDraft] = useState(/** @type {string | null} */ (null));
  const [isRefused, setRefused] = useState(false);
  const last = useRef(Promise.resolve());
  const isMine = value === 'granted';

  const type = (/** @type {string} */ text) => {
    const change = { id: card.id, by: me, fence: context.fence ?? 0, text };
    setDraft(text);
    // Write in order, so that the latest text is written last.
    last.current = last.current.then(async () => setRefused(!(await write(change))));
  };
  const letGo = () => {
    send({ type: 'release' });
    setDraft(null);
  };
  const move = () => {
    const column = COLUMNS[(COLUMNS.indexOf(card.column) + 1) % COLUMNS.length] ?? '';
    void locks.request(`card ${card.id}`, ({ fence }) => write({ id: card.id, by: me, fence, column }));
  };
  return (
    <article data-lock={value}>
      <textarea
        aria-label="text"
        readOnly={!isMine}
        value={isMine && draft !== null ? draft : card.text}
        onFocus={() => send({ type: 'request' })}
        onBlur={letGo}
        onChange={({ target }) => type(target.value)}
      />
      <button onClick={move}>move on</button>{' '}
      <output>
        {isRefused ? 'somebody else has written this card since' : (WORDS[String(value)] ?? `written by ${card.by}`)}
      </output>
    </article>
  );
}
