/** FLOPs, bytes and cubes of the kernels of real Ascend profiles, against what the devices counted. */
import { type Annotated } from '../../../src/prof/annotate.js';
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { columnOf } from '../../../src/prof/columns/columns.js';
import { peaksOf } from '../../../src/prof/roofline/peaks.js';
import { recordsOf } from '../../support/profile-records.js';
import { annotate } from '../../support/rows.js';
import { itShared } from '../../support/shared.js';

const rows = new Map<string, readonly Annotated[]>();

/** The most complete file of a profile's folder. */
function fileIn(folder: string): string {
  const output = join(folder, 'ASCEND_PROFILER_OUTPUT');
  const names = readdirSync(output);
  const found = [/^ascend_pytorch_profiler\w*\.db$/, /^trace_view\.json$/, /^kernel_details\.csv$/]
    .map((pattern) => names.find((name) => pattern.test(name)))
    .find((name) => name !== undefined);
  return join(output, found ?? '');
}

function rowsOf(folder: string): readonly Annotated[] {
  const known = rows.get(folder) ?? annotate(recordsOf(fileIn(folder)));
  rows.set(folder, known);
  return known;
}

const number = (row: Annotated, key: string): number | null => {
  const value = columnOf(key)?.value(row);
  return typeof value === 'number' ? value : null;
};

const quantile = (values: readonly number[], at: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const place = at * (sorted.length - 1);
  const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
};

const opType = ({ record }: Annotated): string => String(record.labels?.['opType'] ?? '');
const ratiosOf = (some: readonly Annotated[], type: RegExp): number[] =>
  some.filter((row) => type.test(opType(row))).flatMap((row) => number(row, 'cuberatio') ?? []);

/** With FLOP_TABLE=1: count, least, quartiles and most of measured over needed, by type of operator and of element. */
function table(title: string, some: readonly Annotated[]): void {
  if (process.env['FLOP_TABLE'] !== '1') return;
  const kinds = [...new Set(some.filter((row) => number(row, 'cuberatio') !== null).map((row) => `${opType(row)} ${row.unitUse?.dtype ?? ''}`))];
  const lines = ['MatMul', ...kinds].map((kind) => {
    const of = some.filter((row) => (kind === 'MatMul' ? /^MatMul/.test(opType(row)) : `${opType(row)} ${row.unitUse?.dtype ?? ''}` === kind));
    const ratios = of.flatMap((row) => number(row, 'cuberatio') ?? []);
    const cells = [0, 0.25, 0.5, 0.75, 1].map((at) => quantile(ratios, at).toFixed(4).padStart(8));
    return `${kind.padEnd(30)} ${String(ratios.length).padStart(4)} ${cells.join(' ')}`;
  });
  process.stdout.write(`\n${title}: measured / needed\n${lines.join('\n')}\n`);
} // prettier-ignore

const time = (some: readonly Annotated[]): number => some.reduce((sum, { record }) => sum + (record.dur ?? 0), 0);

/** Per cent of kernel time, by profile; at level 0 kernels have no operands, and helpers without any have unknown bytes. */
const COVERED = {
  db_level0_rank0: 66,
  db_level1_rank1: 100,
  db_level2_rank1: 100,
  text_level1_rank0: 100,
  text_level1_rank1: 100,
  text_qwen_level2_rank0: 99,
} as const;

describe('kernels of real Ascend profiles', () => {
  for (const name of ['text_level1_rank0', 'db_level1_rank1'])
    itShared(
      `${name}: the kernel of nll_loss_backward writes the whole gradient`,
      [`data/ascend/${name}`],
      ([path = '']) => {
        const gradients = rowsOf(path).filter(({ record }) => /NLLLossGrad$/.test(record.name));
        // 32·1000·4 written; targets 32·8, gradient and total weight 4 each.
        expect(new Set(gradients.map(({ flops, bytes }) => `${flops} ${bytes}`))).to.deep.equal(new Set(['32 128264']));
      },
    );

  for (const [name, expected] of Object.entries(COVERED)) {
    itShared(`${name}: ${expected} % of the time has FLOPs and bytes`, [`data/ascend/${name}`], ([path = '']) => {
      const all = rowsOf(path);
      const share = (100 * time(all.filter(({ flops, bytes }) => flops !== null && bytes !== null))) / time(all);
      if (process.env['FLOP_TABLE'] === '1') process.stdout.write(`${name}: ${share.toFixed(2)} %\n`);
      expect(Math.floor(share)).to.be.at.least(expected);
    });
  }

  for (const name of Object.keys(COVERED).filter((other) => !other.includes('qwen'))) {
    itShared(
      `${name}: the nine products of a step need 11,255,414,784 FLOPs`,
      [`data/ascend/${name}`],
      ([path = '']) => {
        const products = rowsOf(path).filter((row) => /_MatMulV[23]$/.test(row.record.name));
        const flops = products.map((row) => row.flops ?? NaN);
        expect(products).to.have.length(9);
        expect(flops.reduce((a, b) => a + b, 0)).to.equal(11_255_414_784);
        expect(products.every((row) => row.tc === 1)).to.equal(true);
      },
    );

    itShared(`${name}: convolutions, forward and both gradients, each once`, [`data/ascend/${name}`], ([path = '']) => {
      const all = rowsOf(path);
      const sum = (pattern: RegExp): number =>
        all.filter((row) => pattern.test(row.record.name)).reduce((total, row) => total + (row.flops ?? NaN), 0);
      // 2·N·Ho·Wo·Co·Ci·kh·kw of AlexNet's five.
      const layers = [
        [55, 64, 3, 11], [27, 192, 64, 5], [13, 384, 192, 3], [13, 256, 384, 3], [13, 256, 256, 3],
      ].map(([extent = 0, out = 0, into = 0, k = 0]) => 2 * 32 * extent ** 2 * out * into * k ** 2); // prettier-ignore
      const whole = layers.reduce((a, b) => a + b, 0);
      expect(sum(/^Conv2D\d+$/)).to.equal(whole);
      expect(sum(/^Conv2DBackpropFilter/)).to.equal(whole);
      // Nobody asks for the gradient of the images.
      expect(sum(/^Conv2DBackpropInput/)).to.equal(whole - (layers[0] ?? 0));
      expect(sum(/TransData_\d+$/)).to.equal(0);
    });
  }

  itShared(
    'bf16 products: measured is 1.018 times what is needed',
    ['data/ascend/text_qwen_level2_rank0'],
    ([path = '']) => {
      const all = rowsOf(path);
      table('text_qwen_level2_rank0', all);
      const ratios = ratiosOf(all, /^MatMul/);
      expect(ratios).to.have.length(336);
      expect(quantile(ratios, 0.5)).to.be.within(1.018, 1.019);
      expect(quantile(ratios, 0.25)).to.be.within(1.01, 1.018);
      // All far from it are of the older operator, on one shape.
      const far = all.filter((row) => /^MatMul/.test(opType(row)) && (number(row, 'cuberatio') ?? 0) > 1.03);
      expect(new Set(far.map(opType))).to.deep.equal(new Set(['MatMulV2']));
      // Masked pairs are counted too; the device does half of the products, and the blocks on the diagonal in full.
      expect(quantile(ratiosOf(all, /^FlashAttentionScore$/), 0.5)).to.be.closeTo(0.565, 0.005);
      expect(quantile(ratiosOf(all, /^FlashAttentionScoreGrad$/), 0.5)).to.be.closeTo(0.587, 0.005);
    },
  );

  itShared(
    'fp32 products: measured at a quarter of the rate, 4.07 times at that of fp16',
    ['data/ascend/db_level1_rank1'],
    ([path = '']) => {
      const all = rowsOf(path);
      table('db_level1_rank1', all);
      const ratios = ratiosOf(all, /^MatMul/);
      expect(4 * Math.min(...ratios)).to.be.closeTo(4.07, 0.01);
      // Matrices of 32 rows do not fill the tiles; 1000 columns even less.
      expect(Math.max(...ratios)).to.be.within(3, 3.3);
      // Convolutions that are rounded to HF32 on the way in: at the rate of FP32 this would be 0.51.
      expect(Math.min(...ratiosOf(all, /^Conv2D$/))).to.be.within(1.01, 1.02);
    },
  );

  itShared('cubes by counters, kernels on vector cores without', ['data/ascend/db_level1_rank1'], ([path = '']) => {
    const all = rowsOf(path);
    const cells = (key: string): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const row of all) counts.set(String(columnOf(key)?.value(row)), (counts.get(String(columnOf(key)?.value(row))) ?? 0) + 1);
      return counts;
    };
    expect(Object.fromEntries(cells('tc'))).to.deep.equal({ '1': 23, '-': 164 });
    expect(Object.fromEntries(cells('tcwhy'))).to.deep.equal({ aic_mac_time: 23, '-': 164 });
    expect(all.every((row) => (number(row, 'peak') ?? 0) <= 100)).to.equal(true);
  }); // prettier-ignore

  itShared('the peak by formula, from cores and clock', ['data/ascend/db_level1_rank1', 'data/ascend/text_qwen_level2_rank0'], ([database = '', text = '']) => {
    for (const [path, units, clockHz] of [[database, 24, 1.8e9], [text, 20, 1.65e9]] as const) {
      const device = rowsOf(path)[0]?.profile?.devices[0];
      const { origin, source, matrix } = peaksOf(device ?? null);
      expect(origin).to.equal('formula');
      expect(source).to.match(new RegExp(`^formula: ${units} units x ${clockHz / 1e9} GHz`));
      const fp16 = units * clockHz * 8192;
      expect(matrix).to.deep.equal({ fp16, bf16: fp16, int8: 2 * fp16, tf32: fp16 / 2, fp32: fp16 / 4 });
    }
  }); // prettier-ignore
});
