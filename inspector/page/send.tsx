/** The events that the selected actor takes in its state: a button for each, with a form for its payload. */
import { computed, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { HOW_TO_ALLOW } from '../offers.js';
import { activePaths } from '../model/values.js';
import { eventFields, sampleOf, valueOfField, writtenEvent, type EventField } from '../model/event-fields.js';
import { act, answerToSent, isAlive, offerNow } from './live-reach.js';
import { charts } from './chart/charts.js';
import { isCounterexample, reachProblem } from './reach.js';
import { currentLine, moment, recording, selectedNode } from './state.js';

interface Choice {
  /** The type of an event, or the name of a command. */
  readonly name: string;
  /** The guard that decides, if every transition for it has one. */
  readonly guard: string | null;
  readonly fields: readonly EventField[];
  readonly isCommand: boolean;
}

/** Events that XState sends by itself are not for people. */
const isSendable = (event: string): boolean => event !== '' && event !== '*' && !event.startsWith('xstate.');

const choices = computed((): readonly Choice[] => {
  const offer = offerNow.value;
  const node = selectedNode.value;
  if (!offer || node < 0) return [];
  const commands = offer.commands.map(({ name, fields }) => ({
    name,
    guard: null,
    fields: fields.map(({ name, type }): EventField => ({ name, kind: type === 'integer' ? 'number' : 'text', value: '' })),
    isCommand: true,
  }));
  return offer.events ? [...commands, ...enabledEvents(node)] : commands;
});

function enabledEvents(node: number): Choice[] {
  const guards = new Map<string, (string | null)[]>();
  for (const { view } of moment.value.roles(node)) {
    const active = activePaths(view.value);
    for (const { source, event, guard } of charts.value.get(view.chart)?.transitions ?? [])
      if (isSendable(event) && (source === '' || active.has(source))) guards.set(event, [...(guards.get(event) ?? []), guard]);
  }
  return [...guards].map(([name, all]) => ({
    name,
    guard: all.every((guard) => guard !== null) ? all.join(' or ') : null,
    fields: eventFields(sampleOf(recording.value, node, name, currentLine.value)),
    isCommand: false,
  }));
}

/** The choice whose form is open, by its node and its name. */
const opened = signal<string | null>(null);

export function SendBar() {
  const name = recording.value.nodes.names[selectedNode.value];
  if (name === undefined || !(isAlive.value || isCounterexample.value)) return null;
  // A cluster takes events from its peers and clients only.
  if (recording.value.groups[selectedNode.value] !== undefined) return null;
  return (
    <section class="panel send" aria-labelledby="title-send">
      <header class="panel-head">
        <h2 id="title-send">
          Send to <b>{name}</b>
        </h2>
      </header>
      <div class="send-body">
        <Choices node={name} />
        {!offerNow.value && isAlive.value && <p class="hint">The program takes no events from this page. {HOW_TO_ALLOW}</p>}
        {offerNow.value && choices.value.length === 0 && !offerNow.value.events && <p class="hint">It takes no command.</p>}
        {isCounterexample.value && <p class="hint">A message sent here begins its own run; the counterexample stays.</p>}
        {answerToSent.value !== null && (
          <p class="hint" role="status">
            {answerToSent.value}
          </p>
        )}
        {reachProblem.value !== null && (
          <p class="problem" role="alert">
            {reachProblem.value}
          </p>
        )}
      </div>
    </section>
  );
}

/** A button for each command and event that the node takes, and the form of the one that was pressed. */
export function Choices({ node }: { node: string }) {
  const chosen = choices.value.find((choice) => opened.value === `${node} ${choice.name}`);
  return (
    <>
      {choices.value.map((choice) => (
        <button
          key={choice.name}
          type="button"
          class={`button${choice.guard === null ? '' : ' is-guarded'}`}
          title={choice.guard === null ? undefined : `guard: ${choice.guard}`}
          aria-expanded={choice.fields.length > 0 ? choice === chosen : undefined}
          onClick={() => press(node, choice)}
        >
          {choice.name}
        </button>
      ))}
      {offerNow.value?.events && <OtherEvent key={node} node={node} />}
      {chosen && <Form key={`${node} ${chosen.name}`} node={node} choice={chosen} />}
    </>
  );
}

function press(node: string, choice: Choice): void {
  const key = `${node} ${choice.name}`;
  if (choice.fields.length > 0) opened.value = opened.value === key ? null : key;
  else send(node, choice, {});
}

function send(
  node: string,
  { name, isCommand }: Pick<Choice, 'name' | 'isCommand'>,
  payload: Readonly<Record<string, unknown>>,
): void {
  void act([isCommand ? { do: name, node, ...payload } : { do: 'send', node, event: { ...payload, type: name } }]);
}

/** The payload, with the values that the event had last. */
function Form({ node, choice }: { node: string; choice: Choice }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const values = choice.fields.map((field) => ({ ...field, value: texts[field.name] ?? field.value }));
  const wrong = values.find((field) => valueOfField(field) === undefined && field.value !== '');
  return (
    <form
      class="send-form"
      onSubmit={(event) => {
        event.preventDefault();
        const payload = values
          .map((field) => [field.name, valueOfField(field)] as const)
          .filter(([, value]) => value !== undefined);
        if (!wrong) send(node, choice, Object.fromEntries(payload));
      }}
    >
      {values.map(({ name, kind, value }) => (
        <label key={name}>
          {name}{' '}
          {kind === 'boolean' ? (
            <input
              type="checkbox"
              checked={value === 'true'}
              onChange={({ currentTarget: { checked } }) => setTexts({ ...texts, [name]: String(checked) })}
            />
          ) : (
            <input
              type={kind === 'number' ? 'number' : 'text'}
              step="any"
              value={value}
              aria-invalid={wrong?.name === name}
              onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })}
            />
          )}
        </label>
      ))}
      <button type="submit" class="button is-main" disabled={wrong !== undefined}>
        Send {choice.name}
      </button>
      {wrong && <p class="problem">{wrong.name} is not JSON.</p>}
    </form>
  );
}

/** Any event: an actor takes what its machine does not name, too. */
function OtherEvent({ node }: { node: string }) {
  const [text, setText] = useState('');
  const written = writtenEvent(text);
  const problem = written && 'problem' in written ? written.problem : null;
  return (
    <form
      class="send-other"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (written && 'event' in written) void act([{ do: 'send', node, event: written.event }]);
      }}
    >
      <input
        type="text"
        aria-label="another event"
        aria-invalid={problem !== null}
        aria-describedby="another-problem"
        placeholder='Another: GO or GO {"count":1}'
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
      <button type="submit" class="button" disabled={written === null || problem !== null}>
        Send
      </button>
      <p id="another-problem" class="problem" aria-live="polite">
        {problem}
      </p>
    </form>
  );
}
