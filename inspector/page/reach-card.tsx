/**
 * Buttons for what the viewer can do now to the selected node, link or message: send a command, crash a node, cut a link, lose a message.
 */
import { HOW_TO_ALLOW, type Offer } from '../offers.js';
import { act, isAlive, lastDone, offerNow } from './live-reach.js';
import { PlaceGestures } from './place-gestures.js';
import { isCounterexample, reachProblem, momentOfGesture, type Gesture } from './reach.js';
import { Choices } from './send.js';
import { moment, recording, selectedLink, selectedMessage, selectedNode } from './state.js';

export function ReachCard() {
  const offer = offerNow.value;
  return (
    <aside class="card reach" aria-label="intervene">
      {isAlive.value ? <p>Gestures here take effect immediately, in the program itself.</p> : <When />}
      {offer && <NodeGestures offer={offer} />}
      {offer && <LinkGestures />}
      {offer && <MessageGestures />}
      {offer?.does.includes('add') && <PlaceGestures />}
      {!offer && <Unreached />}
      {lastDone.value !== null && <p role="status">Done: {lastDone.value}.</p>}
      {reachProblem.value !== null && (
        <p class="problem" role="alert">
          {reachProblem.value}
        </p>
      )}
    </aside>
  );
}

/** The time of the gesture, if it is not the shown moment. */
function When() {
  const { unseen } = momentOfGesture();
  if (unseen === 0) return null;
  const lines = unseen === 1 ? 'the next line, which is' : `the next ${unseen} lines, which are`;
  return <p>Gestures here take effect after {lines} at the same time as this one.</p>;
}

function Unreached() {
  const node = recording.value.nodes.names[selectedNode.value];
  if (node === undefined) return <p>Select a node.</p>;
  return (
    <p>
      The program of {node} does not let itself be reached. {HOW_TO_ALLOW}
    </p>
  );
}

/** A gesture, where it can be made. */
function Act({ what, children }: { what: Omit<Gesture, 'at'>; children: string }) {
  if (!offerNow.value?.does.includes(String(what.do))) return null;
  return (
    <button type="button" class="small" onClick={() => void act([what])}>
      {children}
    </button>
  );
}

function NodeGestures({ offer }: { offer: Offer }) {
  const { names } = recording.value.nodes;
  const node = names[selectedNode.value];
  if (node === undefined) return <p>Select a node.</p>;
  const runs = moment.value.runs(selectedNode.value);
  return (
    <section aria-label={`node ${node}`}>
      <h3>{node}</h3>
      {!isAlive.value && !isCounterexample.value && (
        <div class="send-body">
          <Choices node={node} />
        </div>
      )}
      {offer.standing && offer.standing.length > 0 && <p>Now: {offer.standing.join(', ')}</p>}
      <div class="row">
        {runs ? <Act what={{ do: 'crash', node }}>crash</Act> : <Act what={{ do: 'restart', node }}>restart</Act>}
        <Act what={{ do: 'pause', node }}>pause</Act>
        <Act what={{ do: 'resume', node }}>resume</Act>
        <Act what={{ do: 'corrupt', nodes: [node] }}>corrupt</Act>
        <Act what={{ do: 'corrupt', nodes: [...(recording.value.header?.nodes ?? [])] }}>corrupt all</Act>
      </div>
      <label>
        link to{' '}
        <select
          value=""
          onChange={(event) => {
            const peer = recording.value.nodes.find(event.currentTarget.value);
            if (peer >= 0) selectedLink.value = [selectedNode.value, peer];
          }}
        >
          <option value="">…</option>
          {names
            .filter((name) => name !== node)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </label>
    </section>
  );
}

/** Delays that are easy to see: in ticks for a repeated run, in milliseconds for live nodes. */
const SLOW_TICKS = 10;
const SLOW_MS = 1000;

function LinkGestures() {
  const link = selectedLink.value;
  if (!link) return null;
  const { names } = recording.value.nodes;
  const [a, b] = [names[link[0]] ?? '', names[link[1]] ?? ''];
  const isUp = moment.value.channelUp(...link) || moment.value.channelUp(link[1], link[0]);
  const oneWay = (from: string, to: string, up: boolean) => (
    <div class="row" key={from}>
      <span>
        {from} → {to}
      </span>
      <Act what={{ do: up ? 'down' : 'up', channel: [from, to] }}>{up ? 'down' : 'up'}</Act>
      <Act what={{ do: 'clog', channel: [from, to] }}>clog</Act>
      <Act what={{ do: 'unclog', channel: [from, to] }}>unclog</Act>
      <Act what={{ do: 'slow', channel: [from, to], by: isAlive.value ? SLOW_MS : SLOW_TICKS }}>slow</Act>
      {isAlive.value && <Act what={{ do: 'slow', channel: [from, to], by: 0 }}>not slow</Act>}
    </div>
  );
  return (
    <section aria-label={`link ${a} ${b}`}>
      <h3>
        {a} – {b}
      </h3>
      <div class="row">
        {isUp ? <Act what={{ do: 'cut', link: [a, b] }}>cut</Act> : <Act what={{ do: 'join', link: [a, b] }}>join</Act>}
      </div>
      {oneWay(a, b, moment.value.channelUp(...link))}
      {oneWay(b, a, moment.value.channelUp(link[1], link[0]))}
    </section>
  );
}

function MessageGestures() {
  const { messages, nodes } = recording.value;
  const ordinal = selectedMessage.value;
  if (ordinal < messages.first || ordinal >= messages.end) return null;
  const { id, type, from, to } = messages.get(ordinal);
  const isFlying = moment.value.flights().some((flight) => flight.ordinal === ordinal);
  return (
    <section aria-label={`message ${type}`}>
      <h3>
        {type} {nodes.names[from]} → {nodes.names[to]}
      </h3>
      {isFlying ? (
        <div class="row">
          <Act what={{ do: 'deliver', message: id }}>deliver first</Act>
          <Act what={{ do: 'hold', message: id }}>hold</Act>
          <Act what={{ do: 'duplicate', message: id }}>duplicate</Act>
          <Act what={{ do: 'drop', message: id }}>drop</Act>
        </div>
      ) : (
        <p>not on its way at this moment</p>
      )}
    </section>
  );
}
