import type { ChartSamples } from '../protocol.js';
export const samples: Readonly<Record<string, readonly ChartSamples[]>> = {};
