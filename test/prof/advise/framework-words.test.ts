/** Words of advice by the framework that the profile is of. */
import { expect } from 'chai';
import type { ProfileLine } from '../../../src/record/record.js';
import { copy, findingsOf, verdictOf } from '../../support/advice.js';
import { A100, device, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';

const TORCH = profileOn(A100);
const JAX = { ...TORCH, format: 'xplane' } as const;
const US = 1000;

describe('words of frameworks', () => {
  /** 10 us of work every 100 us, each launched 20 us before it begins. */
  const late = [0, 1, 2, 3].map((i) =>
    kernel({
      ...{ id: i + 1, start: 100 * US * i, dur: 10 * US, op: ['mm'] },
      launch: { api: 'cudaLaunchKernel', start: 100 * US * i - 20 * US, dur: 5 * US },
    }),
  );
  const action = (rule: string, ...records: ProfileLine[]): string | undefined => findingsOf(rule, records)[0]?.action;

  it('say how to launch less', () => {
    expect(action('launch-gaps', TORCH, ...late)).to.match(/^capture the work in a CUDA graph \(in PyTorch torch\./);
    expect(action('launch-gaps', JAX, ...late)).to.match(/^compile more of the step as one program \(in JAX jax\.jit,/);
    expect(verdictOf([TORCH, ...late]).text).to.match(/; a graph would recover up to/);
    expect(verdictOf([JAX, ...late]).text).to.match(/; one program for more of the work would recover up to/);
  });

  it('say how to read results, and how to multiply in a faster type', () => {
    const read = copy({ start: 100, dur: 100, launch: { api: 'cudaMemcpy', start: 90, dur: 120 } });
    expect(action('copies', TORCH, kernel({ start: 0 }), read)).to.match(/\(\.item\(\), .* with non_blocking=True$/);
    expect(action('copies', JAX, kernel({ start: 0 }), read)).to.match(
      /ahead of use \(in JAX copy_to_host_async\(\)\)$/,
    );
    const product = kernel({
      name: 'ampere_sgemm_128x64_nn',
      dur: 1_000_000,
      calls: [mm(4096, 4096, 4096, 'float32')],
    });
    expect(action('fp32-product', TORCH, product)).to.equal(
      "torch.set_float32_matmul_precision('high'); or autocast to bfloat16",
    );
    expect(action('fp32-product', JAX, product)).to.equal(
      "jax.default_matmul_precision('tensorfloat32'); or cast to bfloat16",
    );
  });

  it('are those of programs where the CPU launches these as a whole', () => {
    const tpu = { ...JAX, devices: [device('TPU v6 Lite', { vendor: 'google', arch: 'tpu-v6e' })] };
    expect(verdictOf([tpu, ...late]).text).to.match(/the CPU launches programs too slowly/);
    const queued = late.map((record) => ({ ...record, launch: { api: 'DoEnqueueProgram', start: -10, dur: 5 } }));
    expect(verdictOf([tpu, ...queued]).text).to.match(/: gaps between instructions/);
    expect(verdictOf([JAX, ...queued]).text).to.match(/: gaps between queued kernels/);
  });
});
