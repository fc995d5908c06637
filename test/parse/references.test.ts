import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { KernelRecord } from '../../src/record/record.js';
import { parseLiteral, type PythonDict } from '../../src/record/python/python-literal.js';
import { kernelsOf } from '../support/profile-records.js';
import { itShared } from '../support/shared.js';

/** What the references' records say, in our words. */
interface Facts {
  readonly dir: string | null;
  readonly seqMarker: readonly string[];
  readonly seq: readonly number[];
  readonly altSeq: readonly number[];
  readonly mod: readonly string[];
  readonly op: readonly string[];
  readonly sub: number;
  readonly [field: string]: unknown;
}

function readDict(path: string): Facts[] {
  const rows = readFileSync(path, 'utf8').trim().split('\n').map((line) => parseLiteral(line) as PythonDict); // prettier-ignore
  return rows.map((row) => ({
    ...{ dir: row['dir'] as string, seqMarker: row['seqMarker'] as string[], mod: row['mod'] as string[] },
    ...{ seq: row['seqId'] as number[], altSeq: row['altSeqId'] as number[], op: row['op'] as string[] },
    ...{
      sub: row['subSeqId'] as number,
      layer: row['layer'],
      trace: row['trace'],
      repr: row['reprMarkers'],
      tid: row['tid'],
    },
    ...{ short: row['kShortName'], name: row['kLongName'], dur: row['kDuration'] },
    ...{ device: row['device'], stream: row['stream'], grid: row['grid'], block: row['block'] },
    calls: (row['marker'] as string[]).map(parseLiteral),
  }));
}

/** A kernel's facts of the same names. Arguments without value are compared as the marker has them. */
const factsOf = (kernel: KernelRecord, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, (kernel as unknown as Record<string, unknown>)[field]]));

/** Where we differ on purpose: which rows, and what the reference's facts become. */
interface Difference {
  readonly reason: string;
  readonly concerns: (facts: Facts) => boolean;
  readonly corrected: (facts: Facts) => Facts;
}

const seqOf = (marker: string): number => Number(marker.split(', seq = ')[1]);
const nameOf = (marker: string): string => marker.split(', seq = ')[0] ?? '';
const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isBackward = (marker: string): boolean => /Backward\d*$|_backward$/.test(nameOf(marker));
const inOrder = (markers: readonly string[]): string[] =>
  [...markers].sort((a, b) => seqOf(a) - seqOf(b) || (a < b ? -1 : 1));

const DIFFERENCES: readonly Difference[] = [
  {
    reason: 'no range around the launch: direction not known',
    concerns: ({ seqMarker, calls, layer, trace, repr }) => [seqMarker, calls, layer, trace, repr].every(isEmpty),
    corrected: (facts) => ({ ...facts, dir: null }),
  },
  {
    reason: 'nodes Backward1 and up are backward, and keep their own id',
    concerns: ({ seqMarker, dir }) => dir === 'fprop' && seqMarker.some((marker) => /Backward[1-9]/.test(marker)),
    corrected: (facts) => {
      const own = seqOf(facts.seqMarker.find(isBackward) ?? '');
      const others = [...facts.seq, ...facts.altSeq].filter((id) => id !== own);
      return { ...facts, dir: 'bprop', seq: [own], altSeq: others };
    },
  },
  {
    reason: 'a backward kernel is named by the backward ops around it, numbered nodes cleaned',
    concerns: ({ seqMarker, calls }) => isEmpty(calls) && seqMarker.some((marker) => /Backward\d+,/.test(marker)),
    corrected: (facts) => {
      const names = facts.seqMarker.filter(isBackward).map(nameOf);
      const op = names.map((name) => name.replace(/_backward$/, '').replace(/Backward.*/, ''));
      return { ...facts, op, mod: op.map(() => 'na') };
    },
  },
  {
    reason: 'sequence markers in order of number, not of its digits',
    concerns: ({ seqMarker }) => inOrder(seqMarker).join() !== seqMarker.join(),
    corrected: (facts) => ({ ...facts, seqMarker: inOrder(facts.seqMarker) }),
  },
];

const RESTARTED = 'the sub-sequence begins again with every call';

/** Compares all rows; how many rows each difference concerns. */
function compare(
  kernels: readonly KernelRecord[],
  reference: readonly Facts[],
  without: readonly string[] = [],
): Record<string, number> {
  expect(kernels).to.have.length(reference.length);
  const rows: Record<string, number> = {};
  const count = (reason: string): number => (rows[reason] = (rows[reason] ?? 0) + 1);
  // The reference's number at which ours began again.
  let begun = 0;
  for (const [i, kernel] of kernels.entries()) {
    let expected = reference[i] as Facts;
    for (const { reason, concerns, corrected } of DIFFERENCES) {
      if (!concerns(expected)) continue;
      count(reason);
      expected = corrected(expected);
    }
    if (kernel.sub === 0) begun = expected.sub;
    if (begun > 0) count(RESTARTED);
    expected = { ...expected, sub: expected.sub - begun };
    const fields = Object.keys(expected).filter((field) => !without.includes(field));
    const answer = Object.fromEntries(fields.map((field) => [field, expected[field]]));
    expect(factsOf(kernel, fields), `row ${i}`).to.deep.equal(plain(answer));
  }
  return rows;
}

/** Dicts of the literal reader have no prototype, which deep equality minds. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const ROWS = {
  [DIFFERENCES[0]?.reason ?? '']: 14,
  [DIFFERENCES[1]?.reason ?? '']: 2,
  [DIFFERENCES[2]?.reason ?? '']: 50,
  [DIFFERENCES[3]?.reason ?? '']: 2,
  // The later steps of recurrent cells.
  [RESTARTED]: 14,
};

describe('against the references, row by row', () => {
  for (const [database, dict] of [
    ['nsys_1000.sqlite', 'pyprof2.nsys.dict'],
    ['nsys_1000.sqlite', 'nvidia.nsys.dict'],
    ['nvprof_1000.sql', 'pyprof2.nvprof.dict'],
    ['nvprof_1000.sql', 'nvidia.nvprof.dict'],
  ] as const) {
    itShared(`${database} against ${dict}: 1000 kernels, all fields`, [`data/pyprof/${database}`, `data/pyprof/${dict}`], ([path = '', answer = '']) => {
      expect(compare(kernelsOf(path), readDict(answer))).to.deep.equal(ROWS);
    }); // prettier-ignore
  }

  const LM = ['data/nvprof/lm_v100.net.sql', 'data/nvprof/lm_v100.net.dict'];

  itShared('lm_v100 against apex: 160 kernels, all fields but the full name', LM, ([path = '', answer = '']) => {
    expect(compare(kernelsOf(path), readDict(answer), ['name'])).to.deep.equal({
      [DIFFERENCES[2]?.reason ?? '']: 3,
      // Calls outside autograd, which all print the id of the next node.
      [RESTARTED]: 50,
    });
  });

  itShared('lm_v100: full names, but where the c++filt of 2020 took a substitution for another', LM, ([path = '', answer = '']) => {
    const reference = readDict(answer);
    const differing = kernelsOf(path).filter(({ name }, i) => name !== reference[i]?.['name']);
    const rows: Record<string, number> = {};
    for (const { short } of differing) rows[short] = (rows[short] ?? 0) + 1;
    // The reference has `at::cuda::detail<unsigned char, at::cuda::detail::TensorInfo>`: a namespace with arguments.
    expect(rows).to.deep.equal({ elementwise_kernel: 20, kernelPointwiseApply3: 5 });
    for (const { name } of differing) expect(name).not.to.include('detail<');
  }); // prettier-ignore

  itShared('both formats give the same rows, apart from ids of threads and absolute times', ['data/pyprof/nsys_1000.sqlite', 'data/pyprof/nvprof_1000.sql'], ([nsys = '', nvprof = '']) => {
    const rows = (path: string): unknown[] =>
      kernelsOf(path).map(({ start, launch, ...rest }) => ({
        ...{ ...rest, pid: null, tid: null, corr: null },
        // Each format's zero is its own; how far the kernel lies behind its launch is not.
        queued: start - (launch?.start ?? NaN),
        launched: launch?.dur,
        api: launch?.api,
      }));
    expect(rows(nsys)).to.deep.equal(rows(nvprof));
  }); // prettier-ignore
});
