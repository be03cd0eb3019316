import type { Rolldown } from 'vite';

export function bundle(entry: string, names?: readonly string[]): Promise<readonly Rolldown.OutputChunk[]>;
export function bytesOf(chunks: readonly Rolldown.OutputChunk[]): number;
