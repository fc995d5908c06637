import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { KernelRecord, ProfileRecord } from '../../../../src/record/record.js';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import { elementType } from '../../../../src/record/element-types.js';
import { recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

/** A line of expected_kernels.jsonl, made from the database by a program of its own. */
interface Expected {
  readonly kernel: string;
  readonly opType: string;
  readonly core: string;
  readonly kInShapes: string;
  readonly kInTypes: string;
  readonly kInFormats: string;
  readonly kOutShapes: string;
  readonly startNs: string;
  readonly durNs: number;
  readonly stream: number;
  readonly taskId: number;
  readonly device: number;
  readonly connectionId: number;
  readonly taskType: string;
  readonly blockDim: number;
  readonly op: string;
  /** Innermost first. */
  readonly chain: readonly string[];
  readonly shapeOp: string;
  readonly shapes: readonly string[];
  readonly dtypes: readonly string[];
  readonly backward: boolean;
  readonly fwdOp: string | null;
  readonly seq: number | null;
  readonly module: readonly string[];
  readonly step: number | null;
}

const WRAPPER = 'autograd::engine::evaluate_function: ';
const bare = (text: string): string => text.replaceAll('"', '');
const named = (text: string): string | undefined => (bare(text) === '' || text === 'N/A' ? undefined : bare(text));
/** Ops of the dispatcher, by their names; nodes of autograd are none. */
const isCall = (name: string): boolean =>
  /^[a-z_]\w*(::\w+)+$/i.test(name) && !/(Backward\d*|Backwards|AccumulateGrad)$/.test(name);

/** What the record says of everything around a launch, each name once. */
function namesAround(kernel: KernelRecord): Set<string> {
  const sequenced = kernel.seqMarker.map((marker) => marker.replace(/, seq = \d+$/, ''));
  return new Set([...kernel.calls.map(({ mod, op }) => `${mod}::${op}`), ...kernel.ranges, ...sequenced]);
}

/** The nearest call around the launch that has arguments, as the shape and type lists of the database write them. */
function shapesOf(kernel: KernelRecord, { shapeOp, shapes, dtypes }: Expected): boolean {
  const call = kernel.calls.findLast(({ mod, op }) => `${mod}::${op}` === shapeOp);
  if (call === undefined) return false;
  return (
    call.args.length === Math.max(shapes.length, dtypes.length) &&
    call.args.every((arg, i) => {
      const [shape = '', dtype = ''] = [shapes[i], dtypes[i]];
      const type = elementType(dtype);
      if (dtype === 'Scalar') return arg.type === 'unknown' && !('value' in arg);
      if (dtype === 'None') return arg.type === 'NoneType';
      if (dtype.endsWith('List')) return arg.type === 'list' && !('value' in arg);
      return arg.type === 'tensor' && arg.dtype === type?.dtype && (arg.shape ?? []).join(',') === shape;
    })
  );
}

type Check = (kernel: KernelRecord, expected: Expected, profile: ProfileRecord) => boolean;

const CHECKS: Readonly<Record<string, Check>> = {
  name: ({ name }, { kernel }) => name === kernel,
  start: ({ start }, { startNs }, { startUnixNs }) => BigInt(startUnixNs ?? 0) + BigInt(start) === BigInt(startNs),
  dur: ({ dur }, { durNs }) => dur === durNs,
  stream: (kernel, { stream }) => kernel.stream === stream,
  task: ({ labels }, { taskId }) => labels?.['taskId'] === taskId,
  device: (kernel, { device }) => kernel.device === device,
  connection: ({ corr }, { connectionId }) => corr === connectionId,
  block: ({ block }, { blockDim }) => (blockDim > 0 ? block?.join() === `${blockDim},1,1` : block === null),
  opType: ({ labels }, { opType }) => labels?.['opType'] === named(opType),
  core: ({ engine }, { core }) => engine === named(core),
  taskType: ({ labels }, { taskType }) => labels?.['taskType'] === named(taskType),
  kernelInputs: ({ labels }, { kInShapes, kInTypes, kInFormats }) =>
    labels?.['inputShapes'] === named(kInShapes) &&
    labels?.['inputTypes'] === named(kInTypes) &&
    labels?.['inputFormats'] === named(kInFormats),
  kernelOutputs: ({ labels }, { kOutShapes }) => labels?.['outputShapes'] === named(kOutShapes),
  op: (kernel, { op }) => namesAround(kernel).has(op) || namesAround(kernel).has(WRAPPER + op),
  chain: (kernel, { chain }) => {
    const around = namesAround(kernel);
    return chain.every((name) => around.has(name) || around.has(name.replace(WRAPPER, '')));
  },
  calls: (kernel, { chain }) =>
    kernel.calls.map(({ mod, op }) => `${mod}::${op}`).join() === [...chain].reverse().filter(isCall).join(),
  shapes: (kernel, expected) => shapesOf(kernel, expected),
  layer: ({ layer }, { module }) => layer.join('/') === module.join('/'),
  backward: ({ dir, forward }, { backward }) =>
    backward ? dir === 'bprop' && forward !== undefined : forward === undefined,
  forward: ({ forward }, { fwdOp }) =>
    fwdOp === null
      ? forward === undefined
      : forward !== undefined && forward !== null && [`${forward.mod}::${forward.op}`, forward.op].includes(fwdOp),
  seq: (kernel, { seq, backward }) => !backward || kernel.seq[0] === seq,
  step: ({ step }, expected) => (step ?? null) === expected.step,
};

/** Folder, rank, and the sum of its kernels' durations in ns by the same program. */
const DATABASES: readonly (readonly [folder: string, rank: number, total: number])[] = [
  ['db_level0_rank0', 0, 8843910],
  ['db_level1_rank1', 1, 8915634],
  ['db_level2_rank1', 1, 8926368],
];

/** Elements of the four messages of a step (`count` of COMMUNICATION_OP), 4 bytes each. */
const MESSAGES = [4097000, 16781312, 37752832, 2469696];

describe('Ascend databases of real runs', () => {
  for (const [folder, rank, total] of DATABASES) {
    const shared = `data/ascend/${folder}`;
    const files = [
      `${shared}/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_${rank}.db`,
      `${shared}/expected_kernels.jsonl`,
    ];
    itShared(`${folder}: every kernel equals the expected one, none twice`, files, ([path = '', oracle = '']) => {
      const text = readFileSync(oracle, 'utf8').trim();
      const expected = text.split('\n').map((line) => JSON.parse(line) as Expected);
      const lines = recordsOf(path);
      const profile = lines[0] as ProfileRecord;
      const kernels = lines.filter((line) => line.type === 'kernel').map(completeKernel);
      const byKey = new Map(expected.map((line) => [`${line.startNs} ${line.stream} ${line.kernel}`, line]));
      expect(byKey.size).to.equal(187);
      const right = Object.fromEntries(Object.keys(CHECKS).map((check) => [check, 0]));
      for (const kernel of kernels) {
        const start = BigInt(profile.startUnixNs ?? 0) + BigInt(kernel.start);
        const key = `${start} ${kernel.stream ?? ''} ${kernel.name}`;
        const line = byKey.get(key);
        byKey.delete(key);
        if (line === undefined) continue;
        for (const [check, holds] of Object.entries(CHECKS)) if (holds(kernel, line, profile)) right[check] = (right[check] ?? 0) + 1; // prettier-ignore
      }
      expect(right).to.deep.equal(Object.fromEntries(Object.keys(CHECKS).map((check) => [check, 187])));
      expect(kernels.length).to.equal(187);
      expect(kernels.reduce((sum, { dur }) => sum + (dur ?? 0), 0)).to.equal(total);
      expect(profile.rank).to.equal(rank);
      const collectives = lines.filter((line) => line.type === 'collective');
      expect(collectives.map(({ kind, bytes, step }) => [kind, bytes, step])).to.deep.equal(
        MESSAGES.map((count) => ['allReduce', count * 4, expected[0]?.step]),
      );
    });
  }
});
