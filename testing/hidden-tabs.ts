/**
 * Tabs of one window of a real Chromium, of which only the last is visible, so that the others can be frozen. Playwright makes each page
 * believe that it has the focus, and a visible page is never frozen; this file uses the DevTools protocol directly. With a display, as by
 * `xvfb-run npx vitest`, the window is a real one.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { ARGS, CHROMIUM } from './chromium.js';

interface Answer {
  readonly id?: number;
  readonly result?: any;
  readonly error?: { readonly message: string };
}

/** One tab. */
export interface HiddenTab {
  /** Returns the value of an expression in the page; promises are awaited. */
  evaluate(program: string): Promise<any>;
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** Leaves the page, which the browser may keep. */
  leave(): Promise<void>;
  back(): Promise<void>;
  /** Ends the process of the tab. */
  crash(): void;
}

export async function hiddenTabs(): Promise<{ open(url: string): Promise<HiddenTab>; close(): Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'quiver-hidden-'));
  const args = [
    ...ARGS,
    ...(process.env['DISPLAY'] ? [] : ['--headless=new']),
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    'about:blank',
  ];
  const browser = spawn(CHROMIUM, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise<string>((resolve) => {
    let output = '';
    browser.stderr.on('data', (text) => {
      output += String(text);
      const [found] = /ws:\/\/\S+/.exec(output) ?? [];
      if (found) resolve(found);
    });
  });
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const asked = new Map<number, (answer: Answer) => void>();
  socket.on('message', (text) => {
    const answer = JSON.parse(String(text)) as Answer;
    asked.get(answer.id ?? 0)?.(answer);
  });
  let count = 0;
  const ask = async (method: string, params: object = {}, sessionId?: string): Promise<any> => {
    const id = ++count;
    const answer = await new Promise<Answer>((resolve) => {
      asked.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  const open = async (url: string): Promise<HiddenTab> => {
    const { targetId } = await ask('Target.createTarget', { url });
    const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
    const live = (state: 'frozen' | 'active') => ask('Page.setWebLifecycleState', { state }, sessionId);
    const evaluate = async (expression: string) => {
      const how = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await ask('Runtime.evaluate', how, sessionId);
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
      return result.value;
    };
    const leave = () => ask('Page.navigate', { url: 'data:text/html,elsewhere' }, sessionId);
    const back = async () => {
      const { entries, currentIndex } = await ask('Page.getNavigationHistory', {}, sessionId);
      await ask('Page.navigateToHistoryEntry', { entryId: entries[currentIndex - 1].id }, sessionId);
    };
    // Its answer never comes.
    const crash = () => void ask('Page.crash', {}, sessionId);
    return { evaluate, freeze: () => live('frozen'), resume: () => live('active'), leave, back, crash };
  };
  const close = async () => {
    const exited = once(browser, 'exit');
    // Not by a signal: its processes would continue to write for a moment. Its answer may not come.
    void ask('Browser.close');
    await exited;
    socket.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  return { open, close };
}
