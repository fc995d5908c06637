/** What a comparison finds in profiles whose truth is known: 50 layers, 30 steps, noise of kernels and of whole steps. */
import { requireColumn } from '../../../src/prof/columns/columns.js';
import { expect } from 'chai';
import { Comparison } from '../../../src/prof/diff/comparison.js';
import type { Writable } from '../../../src/containers/writable.js';
import { DEFAULTS } from '../../../src/prof/diff/verdict.js';
import type { KernelRecord } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { Noise } from '../../support/noise.js';
import { itLong, itSlow } from '../../support/sets.js';

const LAYERS = 50;
const STEPS = 30;
const SEEDS = Array.from({ length: 100 }, (_, i) => i + 1);
/** What each change of the code is tested with. */
const FIRST_SEEDS = SEEDS.slice(0, 10);
const SLOWED = 17;

interface World {
  readonly kernels: number;
  /** Standard deviation of the logarithm of a kernel's time, and of what all kernels of a step share. */
  readonly kernelNoise: number;
  readonly stepNoise: number;
  /** So many layers, the first ones, have the noise of the step; all by default. */
  readonly following?: number;
}

/** A kernel for each layer, whose step and duration are set anew each time: making records took most of the time. */
const KERNELS: readonly Writable<KernelRecord>[] = Array.from({ length: LAYERS }, (_, layer) =>
  kernel({ layer: [String(layer)], step: 0 }),
);

/** A kernel for each layer and step, that takes what the layer's kernels take in that step. */
function eachKernel(
  noise: Noise,
  { kernels, kernelNoise, stepNoise, following = LAYERS }: World,
  slowDowns: SlowDowns,
  take: (kernel: KernelRecord) => void,
): void {
  for (let step = 0; step < STEPS; step++) {
    const common = noise.logNormal(stepNoise);
    KERNELS.forEach((record, layer) => {
      const factor = (layer < following ? common : 1) * (1 + slowDowns(layer));
      record.step = step;
      record.dur = 0;
      for (let at = 0; at < kernels; at++) {
        record.dur += Math.round((20_000 + 3000 * layer + 7000 * at) * factor * noise.logNormal(kernelNoise));
      }
      take(record);
    });
  }
}

/** Part by which a layer takes longer in NEW. */
type SlowDowns = (layer: number) => number;
const none: SlowDowns = () => 0;
const oneBy =
  (part: number): SlowDowns =>
  (layer) =>
    layer === SLOWED ? part : 0;

/** Layers that are called changed. */
function found(seed: number, world: World, slowDowns: SlowDowns, settings = DEFAULTS): string[] {
  const noise = new Noise(seed);
  const comparison = new Comparison({ by: [requireColumn('layer')], conditions: [], settings });
  eachKernel(noise, world, none, (record) => {
    comparison.take('base', record);
  });
  eachKernel(noise, world, slowDowns, (record) => {
    comparison.take('new', record);
  });
  return comparison.result.rows
    .filter(({ verdict }) => verdict !== 'same')
    .map(({ keys, verdict }) => `${keys.join()} ${verdict}`);
}

const CALM: World = { kernels: 4, kernelNoise: 0.01, stepNoise: 0.01 };
const UNSTEADY: World = { kernels: 4, kernelNoise: 0.01, stepNoise: 0.02 };

/** The last has all that the others have, and parts that do not follow the step; the others see many seeds in long runs. */
const WORLDS: readonly (readonly [string, World])[] = [
  ['four kernels a layer, 1 % noise of each, 1 % of the step', CALM],
  ['one kernel a layer, 1 % noise, none of the step', { kernels: 1, kernelNoise: 0.01, stepNoise: 0 }],
  ['eight kernels a layer, 2 % noise, 0.5 % of the step', { kernels: 8, kernelNoise: 0.02, stepNoise: 0.005 }],
  ['four kernels a layer, 1 % noise, 2 % of the step', UNSTEADY],
  ['four kernels a layer, 1 % noise, 5 % of the step', { ...UNSTEADY, stepNoise: 0.05 }],
  ['the same, 2 % of the step in 35 of 50 layers', { ...UNSTEADY, following: 35 }],
];

/** How many of the seeds have exactly the slower layer found. */
const detecting = (seeds: readonly number[], world: World, settings = DEFAULTS): number =>
  seeds.filter((seed) => found(seed, world, oneBy(0.03), settings).join() === `${SLOWED} slower`).length;
/** How many of the seeds have nothing found where nothing changed. */
const silent = (seeds: readonly number[], world: World): number =>
  seeds.filter((seed) => found(seed, world, none).length === 0).length;

describe('a comparison of generated profiles', () => {
  for (const [i, [title, world]] of WORLDS.entries()) {
    const itOfMany = i === WORLDS.length - 1 ? itSlow : itLong;
    it(`finds exactly the layer that is 3 % slower, in 9 of 10: ${title}`, () => {
      expect(detecting(FIRST_SEEDS, world)).to.be.at.least(9);
    });

    it(`is silent where nothing changed, in 9 of 10: ${title}`, () => {
      expect(silent(FIRST_SEEDS, world)).to.be.at.least(9);
    });

    itOfMany(`finds exactly the layer that is 3 % slower, in 95 of 100: ${title}`, () => {
      expect(detecting(SEEDS, world)).to.be.at.least(95);
    });

    itOfMany(`is silent where nothing changed, in 95 of 100: ${title}`, () => {
      expect(silent(SEEDS, world)).to.be.at.least(95);
    });
  }

  it('finds a layer that got faster, and none that changed by half a per cent', () => {
    expect(found(1, CALM, oneBy(-0.05))).to.deep.equal([`${SLOWED} faster`]);
    expect(found(1, CALM, oneBy(0.005))).to.deep.equal([]);
  });

  it('calls all layers slower where all are, and twenty of fifty where these are', () => {
    const slower = (layers: number): string[] => Array.from({ length: layers }, (_, layer) => `${layer} slower`);
    expect(found(1, UNSTEADY, () => 0.1)).to.have.members(slower(LAYERS));
    expect(found(1, UNSTEADY, (layer) => (layer < 20 ? 0.05 : 0))).to.have.members(slower(20));
  });

  it('misses the layer in the noise that all share where that is left in', () => {
    expect(detecting(FIRST_SEEDS, UNSTEADY, { ...DEFAULTS, asIs: true })).to.be.below(9);
  });

  itSlow('misses that layer in 30 of 100', () => {
    expect(detecting(SEEDS, UNSTEADY, { ...DEFAULTS, asIs: true })).to.be.below(70);
  });
});
