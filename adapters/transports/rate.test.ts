import { expect, test, vi } from 'vitest';
import type { DriverListener } from './driver.js';
import { FrameReader } from './frame.js';
import { Rate } from './rate.js';

test('so many a second, saved up for one second', () => {
  let now = 0;
  const rate = new Rate(10, { now: () => now });
  const allowed = (tries: number) => Array.from({ length: tries }, () => rate.allows()).filter(Boolean).length;
  expect(allowed(20)).toBe(10);
  now = 500;
  expect(allowed(20)).toBe(5);
  now = 60_000;
  expect(allowed(20)).toBe(10);
  now = 0;
  expect(allowed(20)).toBe(0);
});

test('saved up for longer where it may be, from those of one second on', () => {
  let now = 0;
  const rate = new Rate(10, { now: () => now }, 3);
  const allowed = (tries: number) => Array.from({ length: tries }, () => rate.allows()).filter(Boolean).length;
  expect(allowed(20)).toBe(10);
  now = 60_000;
  expect(allowed(50)).toBe(30);
});

test('frames of a flood are dropped, with one warning', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const received = vi.fn<DriverListener['received']>();
  let now = 0;
  const reader = new FrameReader('a', { received } as unknown as DriverListener, { now: () => now });
  const flood = (count: number) => {
    for (let i = 0; i < count; i++) reader.read('{"from":"b","message":1}');
  };
  flood(150_000);
  expect(received).toHaveBeenCalledTimes(100_000);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]![0]).toMatch(/more than 100000 come in a second/);
  now = 1000;
  flood(1);
  expect(received).toHaveBeenCalledTimes(100_001);
  warn.mockRestore();
});
