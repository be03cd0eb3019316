/** Instructions for attaching programs, shown on the live page until the first one reports. Each has lines to copy. */
import { useState } from 'preact/hooks';
import { copyText } from './clipboard.js';

interface Way {
  readonly title: string;
  readonly code: string;
}

function waysTo(url: string): readonly Way[] {
  return [
    {
      title: 'Vite: every actor, in development',
      code: `// vite.config.ts\nimport { quiver } from 'xstate-quiver/inspector/vite';\nexport default { plugins: [quiver({ url: '${url}' })] };`,
    },
    {
      title: 'React, Vue or any other program in a browser',
      code: `import { createInspector } from 'xstate-quiver/inspector/browser';\nconst { inspect } = createInspector({ url: '${url}' });\n// useMachine(machine, { inspect }) or createActor(machine, { inspect })`,
    },
    { title: 'Node.js: every actor', code: `QUIVER_INSPECT=${url} node --import xstate-quiver/inspector/auto program.js` },
    {
      title: '@statelyai/inspect',
      code: `import { createWebSocketInspector } from '@statelyai/inspect';\nconst { inspect } = createWebSocketInspector({ url: '${url.replace('http', 'ws')}inspect' });\n// useMachine(machine, { inspect }) or createActor(machine, { inspect })`,
    },
  ];
}

export const AttachPage = () => (
  <main class="welcome">
    <h2>Waiting for a program</h2>
    {waysTo(`${location.origin}${location.pathname}`).map((way) => (
      <Lines key={way.title} {...way} />
    ))}
  </main>
);

/** The instructions on the start page that attach the inspector to the reader's own program. */
export const YourApp = () => (
  <Lines
    title="Actors of any program, live"
    code={`npm install --save-dev xstate-quiver ws
npx quiver explore --live          # prints an ADDRESS to open
QUIVER_INSPECT=ADDRESS node --import xstate-quiver/inspector/auto program.js`}
  />
);

function Lines({ title, code }: Way) {
  const [label, setLabel] = useState('Copy');
  const copy = async () => setLabel((await copyText(code)) ? 'Copied' : 'Not copied: select the text');
  return (
    <section class="attach">
      <h3>{title}</h3>
      <pre tabIndex={0}>{code}</pre>
      <button type="button" class="button" aria-label={`Copy: ${title}`} onClick={() => void copy()}>
        {label}
      </button>
    </section>
  );
}
