/** A small device trace with its program, made as tests make them. */
import { neffBytes } from '../../test/support/neff.js';
import { instructionEnd, instructionStart, ntff, packet, semaphore, throttle } from '../../test/support/ntff.js';
import type { Base } from './input.js';

/** Records of every kind of section. */
export function madeTrace(): Buffer {
  const records = Array.from({ length: 64 }, (_, i) => [
    instructionStart(i * 1000, i % 5, 100 + (i % 4), i),
    instructionEnd(i * 1000 + 500, i % 5, 100 + (i % 4), i, i),
  ]).flat();
  const packets = Array.from({ length: 64 }, (_, i) =>
    [1, 5, 6].map((phase, n) => packet(i * 1000 + n * 300, phase, i % 16, i % 15, 512, i)),
  ).flat();
  return ntff({
    opcodes: [[1, 2, 0xa0, 0xb8], [0x21], [0x46], [0x42, 0x43], [0xa4]],
    place: 100,
    rings: [
      [64, 0, 'qSyncDynamicHW'],
      [65, 14, 'qInst'],
    ],
    memory: [
      ['weight', 1024],
      ['io', 4096],
    ],
    sections: [
      { kind: 0, records },
      { kind: 1, records: Array.from({ length: 32 }, (_, i) => semaphore(i * 2000, i % 8, i)) },
      { kind: 4, group: 1, records: packets },
      { kind: 5, records: [throttle(1000, 1, 2), throttle(2000, 3, 4, 1)] },
    ],
  });
}

export const madeNeuron = (): readonly Base[] => [
  {
    reader: 'ntff',
    name: 'made.ntff',
    files: { 'made.ntff': madeTrace(), 'made.neff': neffBytes() },
    input: 'made.ntff',
  },
];
