/** Real captures to damage: those of a folder, or small ones made for tests where there are none. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { neffBytes } from '../test/support/neff.js';
import { instructionEnd, instructionStart, ntff, packet, semaphore, throttle } from '../test/support/ntff.js';
import { sharedFile } from '../test/support/shared.js';
import type { FuzzBase } from './fuzz-run.js';

/** A trace of some records, and a program. */
export function madeBases(): FuzzBase[] {
  const records = Array.from({ length: 64 }, (_, i) => [
    instructionStart(i * 1000, i % 5, 100 + (i % 4), i),
    instructionEnd(i * 1000 + 500, i % 5, 100 + (i % 4), i, i),
  ]).flat();
  const packets = Array.from({ length: 64 }, (_, i) =>
    [1, 5, 6].map((phase, n) => packet(i * 1000 + n * 300, phase, i % 16, i % 15, 512, i)),
  ).flat();
  const trace = ntff({
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
  const program = neffBytes();
  return [
    { kind: 'ntff', name: 'made.ntff', bytes: trace, program },
    { kind: 'neff', name: 'made.neff', bytes: program, program: null },
  ];
}

/** All traces and programs in the folders of a folder. */
export function basesIn(folder: string): FuzzBase[] {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.n[te]ff$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const programs = files.filter((path) => path.endsWith('.neff'));
  return files.map((path) => {
    const program = path.endsWith('.ntff') ? programs.find((each) => dirname(each) === dirname(path)) : undefined;
    return {
      kind: path.endsWith('.ntff') ? 'ntff' : 'neff',
      name: path.slice(folder.length + 1),
      bytes: readFileSync(path),
      program: program === undefined ? null : readFileSync(program),
    };
  });
}

/** The shared captures, where they are, and the made files: small ones take less time. */
export function allBases(folder = sharedFile('data/neuron')): FuzzBase[] {
  return [...(folder === null ? [] : basesIn(folder)), ...madeBases()];
}
