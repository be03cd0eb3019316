/** The selected message: its content, its place, and its way through the network. */
import { xOf } from '../model/playback.js';
import { numberText } from '../model/words.js';
import { colorStyle } from './colors.js';
import { IconButton } from './panel.js';
import { tab } from './tab.js';
import { askWhy } from './asked-why.js';
import { axis, pauseAt, recording, growing, selectedMessage, selectMessage, trail, way } from './state.js';

export function MessageCard() {
  const { messages, nodes } = growing();
  const ordinal = selectedMessage.value;
  if (ordinal < messages.first) return null;
  const row = messages.get(ordinal);
  const sent =
    row.sent >= recording.value.first ? recording.value.step(row.sent)?.sent.find(({ id }) => id === row.id) : undefined;
  const at = (line: number) => numberText(xOf(recording.value, axis.value, line));
  return (
    <aside class="card" aria-label="selected message">
      <header>
        <span class="swatch" style={{ background: colorStyle('message', messages.types.find(row.type)) }} />
        <b>{row.type}</b> {nodes.names[row.from]} → {nodes.names[row.to]}
        <IconButton label="let go of this message" icon="M6 6l12 12M18 6 6 18" onPress={() => selectMessage(-1)} />
      </header>
      <p>
        <button type="button" class="link" onClick={() => pauseAt(row.sent)}>
          sent at {at(row.sent)}
        </button>
        {row.ending === null ? (
          ', on its way at the end'
        ) : (
          <>
            {', '}
            <button type="button" class="link" onClick={() => pauseAt(row.ended)}>
              {row.ending === 'unseen' ? 'out of sight' : row.ending} at {at(row.ended)}
            </button>
          </>
        )}
        , cost {numberText(row.cost)}
      </p>
      {sent && <code class="payload">{JSON.stringify(sent.message)}</code>}
      <p class="row">
        <button
          type="button"
          class="small"
          onClick={() => (askWhy(`${row.type} of ${nodes.names[row.from]}`, row.sent), (tab.value = 'why'))}
        >
          why?
        </button>
        <button
          type="button"
          class="small"
          aria-pressed={trail.value === 'forwarded'}
          onClick={() => (trail.value = trail.value === 'forwarded' ? null : 'forwarded')}
        >
          follow this message
        </button>
        <button
          type="button"
          class="small"
          aria-pressed={trail.value === 'token'}
          onClick={() => (trail.value = trail.value === 'token' ? null : 'token')}
        >
          follow every {row.type} from hand to hand
        </button>
      </p>
      <Way ordinal={ordinal} />
    </aside>
  );
}

/** The hops of a message that is followed. */
function Way({ ordinal }: { ordinal: number }) {
  const { names } = growing().nodes;
  const at = (line: number) => numberText(xOf(recording.value, axis.value, line));
  if (way.value.length === 0) return null;
  return (
    <ol class="way">
      {way.value.slice(0, 200).map((hop) => (
        <li key={hop.ordinal}>
          <button
            type="button"
            class="link"
            aria-current={hop.ordinal === ordinal ? 'true' : undefined}
            onClick={() => ((selectedMessage.value = hop.ordinal), pauseAt(hop.sent))}
          >
            {names[hop.from]} → {names[hop.to]} at {at(hop.sent)}
          </button>
        </li>
      ))}
    </ol>
  );
}
