/** What a comparison finds in profiles whose truth is known: 50 layers, 30 steps, noise of kernels and of whole steps. */
import { expect } from 'chai';
import { falseDiscovery } from '../../../src/prof/diff/false-discovery.js';
import { DEFAULTS, testSteps, verdictOf } from '../../../src/prof/diff/verdict.js';
import { Noise } from '../../support/noise.js';

const LAYERS = 50;
const STEPS = 30;
const SEEDS = Array.from({ length: 100 }, (_, i) => i + 1);
const SLOWED = 17;

interface World {
  readonly kernels: number;
  /** Standard deviation of the logarithm of a kernel's time, and of what all kernels of a step share. */
  readonly kernelNoise: number;
  readonly stepNoise: number;
}

/** Time of each layer in each step, ns. */
function profile(noise: Noise, { kernels, kernelNoise, stepNoise }: World, slowDown: number): Float64Array[] {
  const layers = Array.from({ length: LAYERS }, () => new Float64Array(STEPS));
  for (let step = 0; step < STEPS; step++) {
    const common = noise.logNormal(stepNoise);
    layers.forEach((times, layer) => {
      const factor = common * (layer === SLOWED ? 1 + slowDown : 1);
      for (let kernel = 0; kernel < kernels; kernel++) {
        const ns = (20_000 + 3000 * layer + 7000 * kernel) * factor * noise.logNormal(kernelNoise);
        times[step] = (times[step] ?? 0) + Math.round(ns);
      }
    });
  }
  return layers;
}

/** Layers that are called changed. */
function found(seed: number, world: World, slowDown: number): string[] {
  const noise = new Noise(seed);
  const [base, next] = [profile(noise, world, 0), profile(noise, world, slowDown)];
  const tests = base.map((times, i) => testSteps(times, next[i] ?? times, DEFAULTS));
  const qs = falseDiscovery(tests.map((test) => test?.pBeyond ?? null));
  return tests.flatMap((test, layer) => {
    const verdict = verdictOf(test, qs[layer] ?? null, DEFAULTS.rate);
    return verdict === 'same' ? [] : [`${layer} ${verdict}`];
  });
}

const WORLDS: readonly (readonly [string, World])[] = [
  ['four kernels a layer, 1 % noise of each, 1 % of the step', { kernels: 4, kernelNoise: 0.01, stepNoise: 0.01 }],
  ['one kernel a layer, 1 % noise, none of the step', { kernels: 1, kernelNoise: 0.01, stepNoise: 0 }],
  ['eight kernels a layer, 2 % noise, 0.5 % of the step', { kernels: 8, kernelNoise: 0.02, stepNoise: 0.005 }],
];

describe('a comparison of generated profiles', () => {
  for (const [title, world] of WORLDS) {
    it(`finds exactly the layer that is 3 % slower, in 95 of 100: ${title}`, () => {
      const right = SEEDS.filter((seed) => found(seed, world, 0.03).join() === `${SLOWED} slower`);
      expect(right).to.have.length.of.at.least(95);
    });

    it(`is silent where nothing changed, in 95 of 100: ${title}`, () => {
      const silent = SEEDS.filter((seed) => found(seed, world, 0).length === 0);
      expect(silent).to.have.length.of.at.least(95);
    });
  }

  it('finds a layer that got faster, and none that changed by half a per cent', () => {
    const world = WORLDS[0]?.[1] ?? { kernels: 4, kernelNoise: 0.01, stepNoise: 0.01 };
    expect(found(1, world, -0.05)).to.deep.equal([`${SLOWED} faster`]);
    expect(found(1, world, 0.005)).to.deep.equal([]);
  });
});
