/** The help dialog: all keys of the page, and an explanation of each view. */
import { useEffect, useRef } from 'preact/hooks';
import { KEYS } from './keyboard.js';
import { isHelpOpen } from './shell.js';

export function Help() {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog
      ref={ref}
      class="help"
      aria-labelledby="help-title"
      onClose={() => (isHelpOpen.value = false)}
      onClick={(event) => event.target === ref.current && ref.current?.close()}
    >
      <form method="dialog">
        <h2 id="help-title">Keys</h2>
        <dl>
          {KEYS.map(({ shown, does }) => (
            <div key={shown}>
              <dt>
                <kbd>{shown}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>Esc</kbd>
            </dt>
            <dd>inside of the question: clear and close it; Enter goes to the next line that answers</dd>
          </div>
          <div>
            <dt>
              <kbd>Ctrl K</kbd>
            </dt>
            <dd>every command and every node by its name</dd>
          </div>
          <div>
            <dt>
              <kbd>Tab</kbd>
            </dt>
            <dd>from view to view; arrows then walk inside of the network and the space-time diagram, and move a large chart</dd>
          </div>
          <div>
            <dt>
              <kbd>+ −</kbd>
            </dt>
            <dd>inside of the chart: nearer, farther; the wheel with Ctrl does so, too</dd>
          </div>
        </dl>
        <h2>Reading it</h2>
        <p>
          Arrows between nodes are pointers, darts are messages on their way. In space and time every node is a lane; what could
          not have influenced the current step, nor be influenced by it, is pale.
        </p>
        <p>
          In the statechart active states are lit, the transitions of the last step are drawn strong, and those whose guards
          refused are dotted, with their words slanted. If an old trace does not record the transition, the possible ones are
          dashed.
        </p>
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  );
}
