/** A trace in the forms of other tools, each read back as that tool reads it. */
import { expect, test } from 'vitest';
import { verbs } from '../../bin/verbs.js';
import type { StepLine, TraceHeader, TraceLine } from '../../network/trace.js';
import { directoryTrace } from '../page/testing/traces.js';
import { ENDINGS, formatOf } from './formats.js';

const [header, ...lines] = directoryTrace()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as unknown) as [TraceHeader, ...TraceLine[]];
const steps = lines.filter((line): line is StepLine => 'node' in line);
const written = (name: string): string => formatOf(name)!(header, lines);

test('help names every ending; any other name is the trace as it is', () => {
  expect(verbs.explore.options.save.description).toContain(ENDINGS);
  expect(formatOf('run.ndjson')).toBeNull();
  expect(formatOf('html')).toBeNull();
});

test('ShiViz: its parser finds every step, and each host counts its own from one', () => {
  const [parser = '', delimiter, ...log] = written('run.shiviz.log').split('\n');
  expect(delimiter).toBe('');
  const events = [...log.join('\n').matchAll(new RegExp(parser, 'g'))].map(({ groups }) => groups!);
  expect(events.map(({ event }) => event)).toContain('n1 received find from n2; sent find to n0');
  // That a node starts counts for nothing yet.
  expect(events).toHaveLength(steps.filter(({ kind }) => kind !== 'start').length);
  const seen: Record<string, number> = {};
  for (const { host, clock } of events) {
    seen[host!] = (seen[host!] ?? 0) + 1;
    expect(JSON.parse(clock!)[host!]).toBe(seen[host!]);
  }
});

test('SVG: a lane a node, a dot a step, an arrow a message; names are text', () => {
  const evil = '<script>alert(1)</script>';
  const renamed = JSON.parse(JSON.stringify([header, lines]).replaceAll('"n2"', JSON.stringify(evil))) as [
    TraceHeader,
    TraceLine[],
  ];
  const svg = formatOf('x.svg')!(...renamed);
  expect(svg).not.toContain('<script');
  expect(svg).toContain('>&lt;script&gt;alert(1)&lt;/script&gt;</text>');
  expect(svg.match(/<circle /g)).toHaveLength(steps.length);
  expect(svg).toMatch(
    /<rect x="[\d.]+" y="[\d.]+" width="[\d.]+" height="24" fill="#\w+"><title>n0, directory: directory: waiting.last</,
  );
  expect(svg.match(/<path d="M[\d.]+ [\d.]+L/g)).toHaveLength(steps.flatMap(({ sent }) => sent).length);
});

test('SVG: a question mark replaces characters that XML forbids', () => {
  const odd = 'a\u0000b\u001bc\ud800d\uffffe\tf';
  const renamed = JSON.parse(JSON.stringify([header, lines]).replaceAll('"n2"', JSON.stringify(odd))) as [
    TraceHeader,
    TraceLine[],
  ];
  const svg = formatOf('x.svg')!(...renamed);
  expect(svg).toContain('>a?b?c?d?e\tf</text>');
  // eslint-disable-next-line no-control-regex
  expect(svg).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/);
});
