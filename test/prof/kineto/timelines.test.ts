/**
 * Device time of whole traces, from their records alone, to the microsecond: what the report's sums stand on. The
 * reference is worked out from the JSON with decimal times.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { Activity, KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { fileOf, ofType, recordsOf, TRACES } from '../../support/kineto.js';
import { itShared } from '../../support/shared.js';

const REFERENCE = 'reference/exact-timelines.md';

/** Stretches of time, ns, in order and apart from each other. */
type Stretches = readonly (readonly [from: number, to: number])[];

function union(works: readonly Activity[]): Stretches {
  const joined: [number, number][] = [];
  for (const { start, dur } of works.toSorted((a, b) => a.start - b.start)) {
    const end = start + (dur ?? NaN);
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

const total = (stretches: Stretches): number => stretches.reduce((sum, [from, to]) => sum + to - from, 0);

/** Time in which any of these works, and none of those. */
const alone = (these: readonly Activity[], those: readonly Activity[]): number =>
  total(union([...these, ...those])) - total(union(those));

const isComm = ({ name }: KernelRecord): boolean => /nccl|rccl/i.test(name);

const ms = (ns: number): string => (ns / 1e6).toFixed(3);

/** The cells of the reference's table: two counts and the memory works, then times. */
function timeline(records: readonly ProfileLine[]): string[] {
  const kernels = ofType(records, 'kernel');
  const memory = [...ofType(records, 'copy'), ...ofType(records, 'set')];
  const comm = kernels.filter(isComm);
  const compute = kernels.filter((kernel) => !isComm(kernel));
  const all = union([...kernels, ...memory]);
  const span = (all.at(-1)?.[1] ?? NaN) - (all[0]?.[0] ?? NaN);
  const times = [
    ...[span, total(all), span - total(all)],
    ...[compute, comm, memory].map((works) => total(union(works))),
    kernels.reduce((sum, { dur }) => sum + (dur ?? NaN), 0),
    ...[[...compute, ...memory], compute].map((others) => alone(comm, others)),
  ];
  return [...[kernels, comm, memory].map(({ length }) => String(length)), ...times.map(ms)];
}

/** Cells of a trace's row. */
const rowOf = (text: string, trace: string): string[] =>
  (new RegExp(`^\\| ${trace} \\| (.*) \\|$`, 'm').exec(text)?.[1] ?? '').split(' | ');

describe('device time of traces', () => {
  for (const trace of TRACES) {
    itShared(trace, [fileOf(trace), REFERENCE], async ([, reference = '']) => {
      const records = await recordsOf(trace);
      expect(timeline(records)).to.deep.equal(rowOf(readFileSync(reference, 'utf8'), trace));
    });
  }

  itShared('of launched work alone', [fileOf('h100_qwen'), fileOf('mi300_resnet_training'), REFERENCE], async ([, , reference = '']) => {
    const text = readFileSync(reference, 'utf8').replaceAll(' events', '');
    for (const trace of ['h100_qwen', 'mi300_resnet_training']) {
      const records = await recordsOf(trace);
      const works = [...ofType(records, 'kernel'), ...ofType(records, 'copy'), ...ofType(records, 'set')];
      const linked = union(works.filter(({ launch }) => launch !== null));
      const count = works.filter(({ launch }) => launch !== null).length;
      const span = (linked.at(-1)?.[1] ?? NaN) - (linked[0]?.[0] ?? NaN);
      const line = `${trace} ${count} of ${works.length}, span ${ms(span)}, busy ${ms(total(linked))}`;
      expect(text).to.include(line);
    }
  }); // prettier-ignore
});
