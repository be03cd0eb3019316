/** The identity of this tab, its locks, and the board. */
import { createRoot } from 'react-dom/client';
import { linked, webSocket } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { Board } from './board.jsx';

const root = createRoot(/** @type {Element} */ (document.querySelector('#app')));
const { people, peers } = await (await fetch('peers')).json();
const me = location.search.slice(1);

if (people.includes(me)) {
  // A reloaded tab is identified by its key, and is connected again immediately.
  const key = sessionStorage.getItem('key') ?? crypto.randomUUID();
  sessionStorage.setItem('key', key);
  const transport = linked(webSocket({ id: me, url: `${location.origin.replace('http', 'ws')}/quiver`, key }), { peers });
  const locks = createLocks({ transport, peers });
  // A closing tab notifies its peers, so they need not wait for the failure detector.
  addEventListener('pagehide', () => void transport.close());
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  root.render(<Board me={me} people={people} locks={locks} />);
} else {
  const choices = people.map((/** @type {string} */ name) => (
    <li key={name}>
      <a href={`?${name}`}>{name}</a>
    </li>
  ));
  root.render(
    <main>
      <h1>Who are you?</h1>
      <ul>{choices}</ul>
    </main>,
  );
}
