/** Small device traces of NeuronCores, and what is read of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ntff, type TraceOf } from '../../samples/programs/write-ntff.js';
import { readProfile, type ProfileOptions } from '../../src/parse/profile.js';
import type { EndRecord, KernelLine, ProfileLine } from '../../src/record/record.js';

export * from '../../samples/programs/write-ntff.js';

/** Gives a file of the bytes to a function, and removes it. */
export function withFile<T>(bytes: Buffer, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'dprof-ntff-'));
  try {
    const path = join(folder, 'made.ntff');
    writeFileSync(path, bytes);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Read {
  readonly lines: readonly ProfileLine[];
  readonly end: EndRecord;
}

/** Records of a trace. */
export const readTrace = (trace: TraceOf | Buffer, options: Partial<ProfileOptions> = {}): Read =>
  withFile(Buffer.isBuffer(trace) ? trace : ntff(trace), (path) => {
    const lines = [...readProfile(path, { profile: 0, ...options })];
    const end = lines.at(-1);
    if (end?.type !== 'end') throw new Error('no end line');
    return { lines, end };
  });

/** What the words and the program say of an instruction, with its id and those that it depends on by engine and place. */
export function saidOf(lines: readonly ProfileLine[]): (line: ProfileLine | undefined) => unknown {
  const places = new Map<string, string>();
  const placeOf = ({ device, stream, counters }: KernelLine): string => [device, stream, counters?.['pc']].join();
  for (const line of lines) {
    if (line.type === 'kernel' && line.labels?.['id'] !== undefined)
      places.set(String(line.labels['id']), placeOf(line));
  }
  return (line) => {
    if (line?.type !== 'kernel') return null;
    const { layer, op, trace, operands, counters, after = [], labels = {} } = line;
    // The trace alone names the variables of transfers; the tool alone the track.
    const { id: _id, label: _label, source: _source, dest: _dest, ...names } = labels;
    const on = after.map(({ id, kind }) => `${kind} ${places.get(id) ?? 'unknown'}`).sort();
    return { layer, op, trace, operands, counters: { ...counters, waitNs: 0 }, on, names };
  };
}
