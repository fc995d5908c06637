/** The document of `--explain -f json`: values with formulas, which must give the values of the columns. */
import { expect } from 'chai';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { kernels } from '../../src/index.js';
import type { Annotated } from '../../src/prof/annotate.js';
import { requireColumn } from '../../src/prof/columns/columns.js';
import type { ExplainedValue } from '../../src/prof/report/explained-values.js';
import { explanation } from '../../src/prof/report/explanation.js';
import { mm, kernel } from '../support/kernels.js';
import { annotate } from '../support/rows.js';
import { A100, profileOn } from '../support/devices.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const SAMPLES = [
  'lenet.nsys.sqlite',
  'lenet.pt.trace.json.gz',
  'attention.ntff',
  'decoder.rpd',
  'ascend_pt',
  'mlp_results.db',
];

/** Columns whose formulas are arithmetic with the inputs. */
const ARITHMETIC = ['ai', 'tflops', 'gbps', 'peak', 'bw', 'floor', 'gap', 'occ', 'queue'];

const byColumn = (row: Annotated): Map<string, ExplainedValue> =>
  new Map(explanation(row).values.map((value) => [value.column, value]));

/** What a formula gives for its inputs; null where one is unknown. */
function computed({ formula, inputs }: ExplainedValue): number | null {
  const symbols = [...(formula ?? '').matchAll(/(?<![\d.])[a-zA-Z]+/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'max');
  expect(symbols, String(formula)).to.not.deep.equal([]);
  for (const name of symbols) expect(inputs, String(formula)).to.have.property(name);
  if (symbols.some((name) => inputs[name] === null)) return null;
  const value = runInNewContext(String(formula), { ...inputs, max: Math.max }) as number;
  return Number.isFinite(value) ? value : null;
}

describe('the explanation of a kernel as a document', () => {
  for (const name of SAMPLES)
    it(`has the values of the columns, and formulas that give them: ${name}`, async () => {
      let compared = 0;
      for await (const row of kernels(join(ROOT, 'samples', name))) {
        for (const value of explanation(row).values) {
          const at = `${row.record.id} ${value.column}`;
          expect(value.value, at).to.deep.equal(requireColumn(value.column).value(row));
          if (value.value === null) expect(value.why, at).to.match(/\w{2}/);
          if (!ARITHMETIC.includes(value.column) || value.value === null) continue;
          // A share of nothing is 0, even of an unknown peak.
          const isNothing = value.value === 0 && (value.inputs['tflops'] === 0 || value.inputs['gbps'] === 0);
          if (value.formula === '1e9 * 0' || isNothing) continue;
          const known = Number(value.value);
          expect(computed(value), at).to.be.closeTo(known, 1e-9 * Math.abs(known));
          compared++;
        }
      }
      expect(compared).to.be.above(5);
    });

  it('has the shapes and the work of a product, by hand', () => {
    const records = [
      profileOn(A100),
      kernel({
        dur: 10_000,
        calls: [mm(128, 64, 256)],
        mod: ['torch'],
        op: ['mm'],
        short: 'sgemm',
        name: 'ampere_sgemm_64x64_nn',
      }),
    ];
    const [row] = annotate(records);
    if (row === undefined) throw new Error('no row');
    const values = byColumn(row);
    // As the library sees them, column by column. 2 · 128 · 64 · 256, and two bytes for each element of the three matrices.
    expect(values.get('flops')).to.include({ value: 4_194_304, unit: 'FLOP', why: null });
    expect(values.get('flops')?.inputs).to.include({ M: 256, N: 128, K: 64, other: 'fp16' });
    expect(values.get('bytes')).to.include({ value: 2 * (128 * 64 + 64 * 256 + 128 * 256) });
    expect(values.get('gbps')).to.deep.include({ value: 11.4688, inputs: { bytes: 114_688, sil: 10_000 } });
    // 1555 GB/s.
    expect(values.get('bw')?.inputs).to.include({ memory: 1.555e12 });
    expect(values.get('bw')?.source).to.match(/A100/);
    const { work, calls, whyNoCalls } = explanation(row);
    expect(work).to.include({ family: 'blas', role: 'main' });
    expect(work?.ofCall).to.deep.equal({ flops: 4_194_304, bytes: 114_688 });
    expect(calls).to.deep.equal([
      { mod: 'torch', op: 'mm', arguments: ['[128,64]fp16', '[64,256]fp16'], describes: true, hasFormula: true },
    ]);
    expect(whyNoCalls).to.equal(null);
  });

  it('says why a value is unknown', () => {
    const [row] = annotate([kernel({ calls: [], launch: null })]);
    if (row === undefined) throw new Error('no row');
    const values = byColumn(row);
    expect(values.get('flops')).to.include({ value: null, formula: null, why: 'no op call around the launch' });
    expect(values.get('ai')).to.include({ value: null, why: 'unknown: flops, bytes' });
    expect(values.get('queue')).to.include({ value: null, why: 'its launch is not in the profile' });
    expect(explanation(row).whyNoCalls).to.equal('no op call around the launch');
  });

  it('is printed for the id of a row, and refused with a reason for other ids', async () => {
    const path = join(ROOT, 'samples', 'lenet.nsys.sqlite');
    const { stdout } = await runCli('dprof', ['-f', 'json', '-c', 'flops', '--where', 'idx==42', path]);
    const [{ explain, flops }] = (JSON.parse(stdout) as { answer: [{ explain: string; flops: number }] }).answer;
    const document = await runCli('dprof', ['-f', 'json', '--explain', explain, path]);
    const { schema, answer } = JSON.parse(document.stdout) as {
      schema: string;
      answer: [{ values: ExplainedValue[] }];
    };
    expect(schema).to.equal('dprof/explanation/1');
    expect(answer[0].values.find(({ column }) => column === 'flops')?.value).to.equal(flops);
    const lines = await runCli('dprof', ['-f', 'jsonl', '--explain', explain, path]);
    expect(JSON.parse(lines.stdout)).to.deep.equal(answer[0]);
    const missing = await runCli('dprof', ['-f', 'json', '--explain', '5:1', path]);
    expect(missing.code).to.equal(1);
    expect((JSON.parse(missing.stdout) as { cannot: object[] }).cannot[0]).to.include({
      what: 'numbers of the kernel',
      why: 'no kernel 5:1',
    });
  });
});
