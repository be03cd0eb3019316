import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { directoryScenario, directoryTrace, gestures } from './page/testing/traces.js';
import { serveTrace, type Served } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'quiver-server-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'page/assets'), { recursive: true });
writeFileSync(join(folder, 'page/index.html'), '<!doctype html><title>page</title>');
writeFileSync(join(folder, 'page/assets/page.js'), 'export {};');
writeFileSync(join(folder, 'page/assets/key.pem'), 'secret');
writeFileSync(join(folder, 'secret.html'), 'secret');
const page = pathToFileURL(join(folder, 'page/'));

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

function get(url: string, headers: Record<string, string> = {}, method = 'GET', path?: string, sent = ''): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path: path ?? pathname, headers, method }, (response) => {
      let body = '';
      response.on('error', reject);
      response.on('data', (piece) => (body += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    asked.on('error', reject);
    asked.end(sent);
  });
}

let served: Served;
beforeEach(async () => {
  served = await serveTrace(() => ['one\n', 'two\n'], { page });
});
afterEach(() => served.close());

describe('the page and the trace', () => {
  test('are served below the token', async () => {
    expect(await get(served.url)).toMatchObject({ status: 200, body: expect.stringContaining('<title>page') });
    expect(await get(`${served.url}assets/page.js`)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
    expect(await get(`${served.url}trace`)).toMatchObject({ status: 200, body: 'one\ntwo\n' });
  });

  test('may be asked for again, by a reload or a second page', async () => {
    await get(`${served.url}trace`);
    expect((await get(`${served.url}trace`)).body).toBe('one\ntwo\n');
  });

  test('cannot access other servers or be framed by another page', async () => {
    const { headers } = await get(served.url);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  test('a source that fails ends the answer and not the server', async () => {
    await served.close();
    served = await serveTrace(
      () =>
        (function* () {
          yield 'one\n';
          throw new Error('disk gone');
        })(),
      { page },
    );
    await expect(get(`${served.url}trace`)).rejects.toThrow();
    expect((await get(served.url)).status).toBe(200);
  });
});

describe('no other client gets anything', () => {
  test('it listens only on 127.0.0.1', () => {
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  });

  test('without the token', async () => {
    const { origin } = new URL(served.url);
    for (const path of ['/', '/trace', '/assets/page.js', `/${'x'.repeat(22)}/trace`])
      expect((await get(origin + path)).status).toBe(404);
  });

  test.each([
    ['a host name that someone points here', { host: 'evil.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a script or image of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('%s', async (_, headers) => {
    expect((await get(`${served.url}trace`, headers)).status).toBe(403);
  });

  test('a click on the printed address in a mail is accepted', async () => {
    expect((await get(served.url, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(200);
  });

  test.each([
    '../secret.html',
    '..%2fsecret.html',
    'assets/../../secret.html',
    'assets/%2e%2e/%2e%2e/secret.html',
    'assets/key.pem',
    'nothing.js',
  ])('no file but those of the page: %s', async (path) => {
    const { body, status } = await get(served.url, {}, 'GET', new URL(served.url).pathname + path);
    expect(status).toBe(404);
    expect(body).not.toContain('secret');
  });

  test('nothing is changed by asking', async () => {
    expect((await get(`${served.url}trace`, {}, 'DELETE')).status).toBe(405);
  });

  test('without gestures a run cannot be made again, and nothing is offered', async () => {
    expect(await get(`${served.url}run`, {}, 'POST', undefined, '{}')).toMatchObject({ status: 404 });
    expect(await get(`${served.url}offer`, {}, 'POST', undefined, '{}')).toMatchObject({ status: 200, body: 'null' });
  });
});

describe('gestures', () => {
  beforeEach(async () => {
    await served.close();
    served = await serveTrace('x\n', { page, gestures });
  });
  const post = (name: string, body: string, headers = {}) => get(`${served.url}${name}`, headers, 'POST', undefined, body);

  test("offer the protocol's gestures, and repeat the run", async () => {
    const { body } = await post('offer', JSON.stringify(directoryScenario()));
    expect(JSON.parse(body)).toEqual({
      commands: [
        { name: 'request', fields: [] },
        { name: 'release', fields: [] },
      ],
      does: expect.arrayContaining(['cut', 'drop', 'crash', 'corrupt']),
    });
    expect((await post('run', JSON.stringify(directoryScenario()))).body).toBe(directoryTrace());
  });

  test.each([
    ['{"half', /JSON/],
    ['{"protocol":"nothing"}', /protocol/],
    [
      JSON.stringify({ ...directoryScenario(), events: [{ at: 1, do: 'crash', node: 'n99' }] }),
      /"n99" is not a node of the topology/,
    ],
    [`"${'x'.repeat(10_000_001)}"`, /more than 10000000 bytes/],
  ])('an invalid scenario is reported: %#', async (scenario, why) => {
    const { status, body } = await post('run', scenario);
    expect(status).toBe(422);
    expect(body).toMatch(why);
  });

  test('a protocol that is not known is looked at without gestures', async () => {
    expect(await post('offer', '{"protocol":"mine"}')).toMatchObject({ status: 200, body: 'null' });
  });

  test('no other page may reach in', async () => {
    expect((await post('run', JSON.stringify(directoryScenario()), { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('it ends', () => {
  test('and frees its port, open pages or not', async () => {
    const { port } = new URL(served.url);
    await served.close();
    await expect(get(served.url)).rejects.toThrow('ECONNREFUSED');
    const again = await serveTrace('x\n', { page, port: Number(port) });
    await again.close();
  });

  test('a port in use is named', async () => {
    const { port } = new URL(served.url);
    await expect(serveTrace('x\n', { page, port: Number(port) })).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is in use. Choose another port, or omit it to get a free one.`,
    );
  });
});
