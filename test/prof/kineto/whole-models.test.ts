/** FLOPs of products in real traces of models everybody knows, against counts by hand from the models' extents. */
import { expect } from 'chai';
import type { Annotated } from '../../../src/prof/annotate.js';
import { fileOf, rowsOf } from '../../support/kineto.js';
import { itShared } from '../../support/shared.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** A convolution's FLOPs for one image: channels in and out, extent of the square kernel and of the square result. */
const convolution = (channels: number, filters: number, kernel: number, extent: number): number =>
  2 * channels * filters * kernel ** 2 * extent ** 2;

/** Convolutions of a ResNet on 224 × 224 (He et al. 2015, table 1): the first, and those of its four stages. */
const STEM = convolution(3, 64, 7, 112);
const EXTENTS = [56, 28, 14, 7] as const;

/** Two 3 × 3 convolutions a block; where a stage begins, a 1 × 1 beside them, but not in the first stage. */
function basicStages(blocks: readonly number[]): number {
  return sum(
    EXTENTS.map((extent, stage) => {
      const width = 64 * 2 ** stage;
      const plain = convolution(width, width, 3, extent);
      const beside = stage === 0 ? 0 : convolution(width / 2, width, 1, extent);
      const first = stage === 0 ? plain : convolution(width / 2, width, 3, extent);
      return beside + first + plain * (2 * (blocks[stage] ?? 0) - 1);
    }),
  );
}

/** 1 × 1, 3 × 3 and 1 × 1 a block, the last to four times the width; the 3 × 3 of a stage's first block has the stride. */
function bottleneckStages(blocks: readonly number[]): number {
  return sum(
    EXTENTS.map((extent, stage) => {
      const width = 64 * 2 ** stage;
      const [before, extentBefore] = stage === 0 ? [64, extent] : [2 * width, 2 * extent];
      const middle = convolution(width, width, 3, extent) + convolution(width, 4 * width, 1, extent);
      const first = convolution(before, width, 1, extentBefore) + convolution(before, 4 * width, 1, extent);
      return first + middle + (convolution(4 * width, width, 1, extent) + middle) * ((blocks[stage] ?? 0) - 1);
    }),
  );
}

/** Layers of a transformer's encoder on sequences: four square products, two of the feed-forward net, attention. */
const encoder = (layers: number, tokens: number, width: number, inner: number): number =>
  layers * (2 * tokens * (4 * width ** 2 + 2 * width * inner) + 4 * tokens ** 2 * width);

const products = (rows: readonly Annotated[], dir?: 'fprop' | 'bprop'): number =>
  sum(rows.flatMap(({ record, productFlops }) => (dir === undefined || record.dir === dir ? [productFlops ?? 0] : [])));

describe('products of whole models', () => {
  itShared('ViT-B/16, four images', [fileOf('h100_vit')], async () => {
    // 14 · 14 patches of 16 · 16 · 3, one token for the class; the pooler is a square product on that one.
    const patches = 2 * 14 ** 2 * 768 * (3 * 16 * 16);
    const image = patches + encoder(12, 197, 768, 3072) + 2 * 768 ** 2;
    expect(products(await rowsOf('h100_vit'))).to.equal(4 * image);
  });

  for (const trace of ['h100_bert_small', 'mi300_bert_small']) {
    itShared(`BERT-small with its head, 141 tokens (${trace})`, [fileOf(trace)], async () => {
      const head = 2 * 141 * 512 * (512 + 30_522);
      expect(products(await rowsOf(trace))).to.equal(encoder(4, 141, 512, 2048) + head);
    });
  }

  itShared('ResNet-50, six steps of 32 images', [fileOf('v100_resnet50_2021')], async () => {
    const rows = await rowsOf('v100_resnet50_2021');
    const stages = bottleneckStages([3, 4, 6, 3]);
    const classes = 2 * 2048 * 1000;
    const images = 6 * 32;
    expect(products(rows, 'fprop')).to.equal(images * (STEM + stages + classes));
    // Two gradients of everything but the images themselves.
    expect(products(rows, 'bprop')).to.equal(images * (STEM + 2 * (stages + classes)));
  });

  itShared('ResNet-18 with checkpoints, three steps of 10 images', [fileOf('mi300_resnet_training')], async () => {
    const rows = (await rowsOf('mi300_resnet_training')).filter(({ record }) => record.launch !== null);
    const stages = basicStages([2, 2, 2, 2]);
    const classes = 2 * 512 * 1000;
    const images = 3 * 10;
    // The stages once more in the backward pass, as their results were not kept: forward work all the same.
    expect(products(rows, 'fprop')).to.equal(images * (STEM + 2 * stages + classes));
    expect(products(rows, 'bprop')).to.equal(images * (STEM + 2 * (stages + classes)));
  });
});
