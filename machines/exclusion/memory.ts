/**
 * Memory of a node in bits (Theorem 4.1): for d ports in use, seven bit registers over the ports and port 0, the holder, the state of
 * both roles, and the priorities that are stored. Linear in d for a constant number of priorities.
 */
import type { ExclusionContext } from './machine.js';

const REGISTERS = 7; // L, R, the two outcomes of W, A, C, H
const STATES = 5; // six of the initiator, three of the participant

export function bitsOf({ ports, P, priorities }: Pick<ExclusionContext, 'ports' | 'P' | 'priorities'>): number {
  return memoryBits(ports.length, P.length, priorities);
}

/** The most that a node with so many ports may need. */
export const memoryBound = (degree: number, priorities: number): number => memoryBits(degree, degree + 1, priorities);

function memoryBits(degree: number, stored: number, priorities: number): number {
  return REGISTERS * (degree + 1) + Math.ceil(Math.log2(degree + 2)) + STATES + stored * Math.ceil(Math.log2(priorities));
}
