/** Databases as a program leaves them that runs convolutions while cuDNN's benchmark mode chooses an algorithm. */
import { expect } from 'chai';
import { NsightDatabase } from '../../support/nsight-database.js';
import { recordsOf } from '../../support/profile-records.js';
import { annotate } from '../../support/rows.js';

const tensor = (shape: string): string => `{'name': '', 'type': 'tensor', 'shape': ${shape}, 'dtype': 'float32'}`;
const CALL = `{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [${tensor('(64, 1, 28, 28)')}, ${tensor('(6, 1, 5, 5)')}]}`;

/** The markers around a call, and its FLOPs. */
interface Op {
  readonly markers: (seq: number) => readonly string[];
  readonly flops: number;
}

/** PyProf's markers: 64 images of 28 × 28, six filters of 5 × 5 at 24 × 24 positions. */
const MARKED: Op = { markers: (seq) => [CALL, `conv2d, seq = ${seq}`], flops: 2 * 64 * 6 * 24 * 24 * 5 * 5 };

/** The extents in the ranges of PyTorch: a matrix product. */
const SIZED: Op = {
  markers: (seq) => [`aten::mm, seq = ${seq}, op_id = ${seq}, sizes = [[64, 128], [128, 32]]`],
  flops: 2 * 64 * 128 * 32,
};

const OPS = { 'PyProf markers': MARKED, 'extents in ranges': SIZED };

const SCUDNN = 'volta_scudnn_128x64_relu_interior_nn_v1';
const IMPLICIT = 'void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, true>(int)';
const FFT = ['void fft2d_r2c_32x32<float, false, 1u, false>(float2*)', 'volta_cgemm_32x32_tn', 'void fft2d_c2r_32x32<float, false>(float*)']; // prettier-ignore
const OFFSETS = 'cudnn::cnn::computeOffsetsKernel(cudnn::cnn::ComputeOffsetsParams)';

/** Calls one after the other, each with the kernels that it launched: `role flops` of each. */
function workOf({ markers }: Op, calls: readonly (readonly string[])[]): string[][] {
  const database = new NsightDatabase();
  let at = 1;
  calls.forEach((names, call) => {
    markers(call + 1).forEach((text, depth) => database.range(text, 100 * at - 40 + depth, 100 * (at + names.length) - 50 - depth)); // prettier-ignore
    for (const name of names) {
      const start = 100 * at;
      database.call({ start, end: start + 10 }, at).kernel({ start: start + 20, end: start + 30 }, at, {}, name);
      at++;
    }
  });
  const rows = annotate(recordsOf(database.write())).map(({ role, flops }) => `${role ?? 'na'} ${flops ?? 'na'}`);
  let from = 0;
  return calls.map((names) => rows.slice(from, (from += names.length)));
}

const [TRIAL, HELPER] = ['trial 0', 'helper 0'];

describe('trials of a library that chooses an algorithm', () => {
  for (const [title, op] of Object.entries(OPS)) {
    const WHOLE = `main ${op.flops}`;

    it(`${title}: the last product of a call, which later calls launch alone, has the work once`, () => {
      const trials = [OFFSETS, SCUDNN, IMPLICIT, ...FFT];
      const found = workOf(op, [
        [...trials, OFFSETS, SCUDNN],
        [OFFSETS, SCUDNN],
        [OFFSETS, SCUDNN],
      ]);
      const once = [HELPER, WHOLE];
      // What finishes the last trial cannot be told from what prepares the run.
      const first = [...Array<string>(5).fill(TRIAL), HELPER, ...once];
      // The offsets before the first product of a call are a helper with PyProf's markers.
      if (op === MARKED) first[0] = HELPER;
      expect(found).to.deep.equal([first, once, once]);
    });

    it(`${title}: the one chosen was tried too, though it was tried last`, () => {
      const [first, later] = workOf(op, [[SCUDNN, IMPLICIT, FFT[1] ?? '', FFT[1] ?? ''], [FFT[1] ?? '']]);
      expect(first).to.deep.equal([TRIAL, TRIAL, TRIAL, WHOLE]);
      expect(later).to.deep.equal([WHOLE]);
    });

    it(`${title}: products of one name are pieces, not trials`, () => {
      const [found = []] = workOf(op, [[SCUDNN, SCUDNN, SCUDNN]]);
      expect(found.filter((text) => text.startsWith('main'))).to.have.lengthOf(3);
    });
  }

  it('two names are no trial: the second product is unknown', () => {
    const [found] = workOf(SIZED, [[SCUDNN, SCUDNN, IMPLICIT]]);
    expect(found).to.deep.equal([`main ${SIZED.flops / 2}`, `main ${SIZED.flops / 2}`, 'main na']);
  });

  it('a marked call whose thread launches no more leaves after a bounded wait', () => {
    const calls = [[SCUDNN, IMPLICIT, FFT[1] ?? '', SCUDNN], ...Array.from({ length: 100 }, () => [SCUDNN])];
    const found = workOf(MARKED, calls);
    const WHOLE = `main ${MARKED.flops}`;
    expect(found[0]).to.deep.equal([TRIAL, TRIAL, TRIAL, WHOLE]);
    expect(found.slice(1).flat()).to.deep.equal(Array(100).fill(WHOLE));
  });
});
