import { expect } from 'chai';
import fc from 'fast-check';
import { Annotated } from '../../../src/prof/annotate.js';
import type { DerivedWork } from '../../../src/prof/work/derived-work.js';
import { OpCallBuffer } from '../../../src/prof/work/op-call-buffer.js';
import type { KernelRecord, OpCall } from '../../../src/record/record.js';
import { aten, t } from '../../support/calls.js';
import { kernel } from '../../support/kernels.js';

/** 2·64·128·32 FLOPs; 2 bytes for each element of both factors and the result. */
const MM = aten('mm', t([64, 128], 'float16'), t([128, 32], 'float16'));
const [FLOPS, BYTES] = [2 * 64 * 128 * 32, 2 * (64 * 128 + 128 * 32 + 64 * 32)];
const COPY = aten('clone', t([64, 128], 'float16'));
const NO_FORMULA = aten('nobody_knows_this_op', t([4]));

const GEMM = 'ampere_fp16_s16816gemm_fp16_64x64_tn';
const SPLIT_K = 'void splitKreduce_kernel<32, 16>(float)';
const FILL = 'memset_kernel';

type Around = readonly [call: OpCall, id: number, kernels: number];

let last = 0;

/** A kernel with the calls around it, outermost first. */
function row(name: string, around: readonly Around[], fields: Partial<KernelRecord> = {}): Annotated {
  const record = kernel({
    id: ++last,
    name,
    short: name.replace(/^void /, '').replace(/[<(].*/, ''),
    calls: around.map(([call]) => call),
    callIds: around.map(([, id]) => id),
    callKernels: around.map(([, , kernels]) => kernels),
    mod: around.map(([call]) => call.mod),
    op: around.map(([call]) => call.op),
    ...fields,
  });
  return new Annotated(record, null, { kind: 'own' });
}

/** A row that shares what is derived from its calls, as those of a loop do. */
function derivedAs(derived: DerivedWork, one: Annotated): Annotated {
  one.assign(derived);
  return one;
}

const workText = (one: Annotated): string => `${one.role ?? 'na'} ${one.flops ?? 'na'} ${one.bytes ?? 'na'}`;

/** The work of each row when all have left; they leave in order. */
function through(rows: readonly Annotated[], queue = new OpCallBuffer()): string[] {
  const left = [...rows.flatMap((one) => [...queue.push(one)]), ...queue.rest()];
  expect(left.map(({ record }) => record.id)).to.deep.equal(rows.map(({ record }) => record.id));
  return left.map(workText);
}

const WHOLE = `main ${FLOPS} ${BYTES}`;
const HALF = `main ${FLOPS / 2} ${BYTES / 2}`;
const NONE = 'helper 0 0';

describe('rows that wait for the kernels of their op', () => {
  it('the only kernel of a call has the work of its own call, which kernels that are alike share', () => {
    const other = aten('mm', t([64, 128], 'float16'), t([128, 64], 'float16'));
    const whole = `main ${2 * FLOPS} ${2 * (64 * 128 + 128 * 64 + 64 * 64)}`;
    for (const name of [GEMM, SPLIT_K, FILL]) {
      const [one, another] = [row(name, [[MM, 1, 1]]).derived, row(name, [[other, 1, 1]]).derived];
      const rows = [1, 3, 5].flatMap((id) => [
        derivedAs(one, row(name, [[MM, id, 1]])),
        derivedAs(another, row(name, [[other, id + 1, 1]])),
      ]);
      expect(through(rows)).to.deep.equal([WHOLE, whole, WHOLE, whole, WHOLE, whole]);
      expect(new Set(rows.map(({ derived }) => derived)).size).to.equal(2);
    }
  });

  it('the only kernel of a call has the work by its own name, whatever equal calls had before', () => {
    const streams = [
      [GEMM, GEMM, SPLIT_K, GEMM, FILL],
      [SPLIT_K, SPLIT_K],
      [FILL, GEMM, FILL],
    ];
    for (const names of streams) {
      const each = names.map((name, i) => through([row(name, [[MM, i + 1, 1]])])[0]);
      expect(through(names.map((name, i) => row(name, [[MM, i + 1, 1]])))).to.deep.equal(each);
    }
  });

  it('a single kernel leaves at once, with all of the work', () => {
    const queue = new OpCallBuffer();
    const one = row(GEMM, [[MM, 1, 1]]);
    expect(queue.push(one)).to.deep.equal([one]);
    expect(workText(one)).to.equal(WHOLE);
    expect(queue.rest()).to.deep.equal([]);
  });

  it('a helper that is alone does the work of its op', () => {
    expect(through([row(FILL, [[MM, 1, 1]])])).to.deep.equal([WHOLE]);
  });

  it('a fill, a product and its split-K sum have the work once', () => {
    const rows = [FILL, GEMM, SPLIT_K].map((name) => row(name, [[MM, 1, 3]]));
    expect(through(rows)).to.deep.equal([NONE, WHOLE, NONE]);
  });

  it('leave in order, together, when the last kernel is there', () => {
    const queue = new OpCallBuffer();
    const [a, other, b] = [row(GEMM, [[MM, 1, 2]]), row(GEMM, [[MM, 2, 1]]), row(GEMM, [[MM, 1, 2]])];
    expect(queue.push(a)).to.deep.equal([]);
    expect(queue.push(other), 'complete, but behind one that waits').to.deep.equal([]);
    expect(queue.push(b)).to.deep.equal([a, other, b]);
    expect([a, other, b].map(workText)).to.deep.equal([HALF, WHOLE, HALF]);
    expect(queue.incomplete).to.equal(0);
  });

  it('calls that interleave do not mix', () => {
    const rows = [1, 2, 1, 2].map((id) => row(GEMM, [[MM, id, 2]]));
    expect(through(rows)).to.deep.equal([HALF, HALF, HALF, HALF]);
  });

  it('equal numbers in two profiles are two calls', () => {
    const rows = [0, 1, 0, 1].map((profile) => row(GEMM, [[MM, 1, 2]], { profile }));
    expect(through(rows)).to.deep.equal([HALF, HALF, HALF, HALF]);
  });

  it('of an op with a formula inside, that op has the kernel; the outer one has no share of it', () => {
    const rows = [row(GEMM, [[MM, 1, 2]]), row('copy_kernel', [[MM, 1, 2], [COPY, 2, 1]])]; // prettier-ignore
    // A copy reads and writes all elements, 2 bytes each.
    expect(through(rows)).to.deep.equal([WHOLE, `main 0 ${2 * 2 * 64 * 128}`]);
  });

  it('an op without a formula around does not hold rows back', () => {
    const queue = new OpCallBuffer();
    const rows = [row(GEMM, [[NO_FORMULA, 1, 3], [MM, 2, 1]]), row('k', [[NO_FORMULA, 1, 3]])]; // prettier-ignore
    expect(rows.map((one) => queue.push(one).length)).to.deep.equal([1, 1]);
    expect(rows.map(workText)).to.deep.equal([WHOLE, 'na na na']);
  });

  it('rows without numbers of calls keep what their names give them', () => {
    const plain = row(GEMM, [[MM, 1, 1]], { callIds: [], callKernels: [] });
    expect(through([plain, row('k', [])])).to.deep.equal([WHOLE, 'na na na']);
  });
});

describe('rows whose kernels do not come', () => {
  it('leave after a bounded wait, and are counted', () => {
    const queue = new OpCallBuffer(3);
    const rows = [row(GEMM, [[MM, 1, 2]]), ...[2, 3, 4].map((id) => row(GEMM, [[MM, id, 1]]))];
    expect(rows.map((one) => queue.push(one).length)).to.deep.equal([0, 0, 0, 4]);
    expect(rows.map(workText)).to.deep.equal([WHOLE, WHOLE, WHOLE, WHOLE]);
    expect(queue.incomplete).to.equal(1);
  });

  it('leave at the end', () => {
    const queue = new OpCallBuffer();
    expect(through([row(GEMM, [[MM, 1, 3]]), row(SPLIT_K, [[MM, 1, 3]])], queue)).to.deep.equal([WHOLE, NONE]);
    expect(queue.incomplete).to.equal(1);
  });

  it('a kernel that comes after its op’s work was distributed has none; a product’s is unknown', () => {
    const queue = new OpCallBuffer(1);
    const rows = [
      row(GEMM, [[MM, 1, 4]]),
      row(GEMM, [[MM, 2, 1]]),
      row(GEMM, [[MM, 1, 4]]),
      row(SPLIT_K, [[MM, 1, 4]]),
    ];
    expect(through(rows, queue)).to.deep.equal([WHOLE, WHOLE, 'main na na', NONE]);
    expect(queue.incomplete).to.equal(1);
  });
});

describe('any stream of kernels', () => {
  /** Calls of 1 to 5 kernels, some of which are missing, dealt out in any order. */
  const stream = fc
    .array(fc.record({ kernels: fc.integer({ min: 1, max: 5 }), missing: fc.nat({ max: 4 }), names: fc.array(fc.constantFrom(GEMM, SPLIT_K, FILL, 'k'), { minLength: 5, maxLength: 5 }) }), { maxLength: 12 })
    .chain((calls) => fc.tuple(
      fc.constant(calls),
      fc.shuffledSubarray(
        calls.flatMap(({ kernels, missing }, id) => Array.from({ length: Math.max(1, kernels - missing) }, (_, i) => [id, i] as const)),
        { minLength: calls.reduce((n, { kernels, missing }) => n + Math.max(1, kernels - missing), 0) },
      ),
    )); // prettier-ignore

  it('leaves in order, and every op’s work is distributed once, whatever is missing and however short the wait', () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 20 }), ([calls, order], longest) => {
        const rows = order.map(([id, i]) =>
          row(calls[id]?.names[i] ?? GEMM, [[MM, id + 1, calls[id]?.kernels ?? 1]], {
            dur: 1 + ((id * 7 + i * 3) % 5),
          }),
        );
        through(rows, new OpCallBuffer(longest));
        for (const id of calls.keys()) {
          const own = rows.filter(({ record }) => record.callIds?.[0] === id + 1);
          expect(own.reduce((sum, { flops }) => sum + (flops ?? 0), 0)).to.equal(FLOPS);
          expect(own.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)).to.equal(BYTES);
          // Only products that came too late are unknown.
          for (const { flops, record } of own) if (flops === null) expect(record.name).to.equal(GEMM);
        }
      }),
    );
  });
});
