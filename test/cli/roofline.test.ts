import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVICES } from '../../src/prof/roofline/devices.js';
import { aten, t } from '../support/calls.js';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { runCli } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const product = {
  name: 'ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn',
  short: 'ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn',
  calls: [aten('mm', t([4096, 4096], 'bfloat16'), t([4096, 4096], 'bfloat16'))],
  mod: ['aten'],
  op: ['mm'],
};
/** 2·4096³ FLOP in 1 ms, in 0.4 ms (343.6 TFLOP/s, above 312) and in 2 ms. */
const RECORDS = [
  profileOn(A100),
  kernel({ id: 1, dur: 1_000_000, ...product }),
  kernel({ id: 2, dur: 400_000, ...product }),
  kernel({ id: 3, dur: 2_000_000, ...product }),
  { type: 'end', profile: 0, counts: { kernel: 3 }, diagnostics: {} },
]
  .map((record) => `${JSON.stringify(record)}\n`)
  .join('');
const DEFECT =
  'dprof: 1 kernel above the peak of the device (0:2): the counts or a recorded time are wrong, or --peaks names another device\n';

describe('dprof on the roofline', () => {
  const run = (...args: string[]) => runCli('dprof', args, { input: RECORDS });

  it('marks a rate above the peak and reports it', async () => {
    const { stdout, stderr, code } = await run('-c', 'idx,tflops,peak,bound,gap');
    expect(stdout).to.equal(
      'Idx TFLOP/s Peak% Bound Gap\n1 137.439 44.05 compute 2.27\n2 ! ! compute 0.91\n3 68.719 22.03 compute 4.54\n',
    );
    expect(stderr).to.equal(DEFECT);
    expect(code).to.equal(0);
  });

  it('keeps all digits, and the impossible rate, in JSON and CSV', async () => {
    const [json, csv] = await Promise.all([
      run('-f', 'jsonl', '-c', 'idx,tflops,peak'),
      run('--csv', '-c', 'idx,tflops'),
    ]);
    const rows = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, number>);
    expect(rows[0]).to.deep.equal({ idx: 1, tflops: 137.438953472, peak: 44.050946625641025 });
    expect(rows[1]?.['peak']).to.be.closeTo(110.127, 1e-3);
    expect(csv.stdout).to.equal('Idx,TFLOP/s\n1,137.438953472\n2,343.59738368\n3,68.719476736\n');
    expect([json.stderr, csv.stderr]).to.deep.equal([DEFECT, DEFECT]);
  });

  it('sorts and filters by shares, largest first', async () => {
    const [sorted, filtered] = await Promise.all([
      run('-q', '--no-header', '-c', 'idx', '--sort', 'peak'),
      run('-q', '--no-header', '-c', 'idx', '--where', 'peak>25.5 && bound==compute'),
    ]);
    expect([sorted.stdout, filtered.stdout]).to.deep.equal(['2\n1\n3\n', '1\n2\n']);
  });

  it('aligns real numbers and marks in columns and tables', async () => {
    const [columns, table] = await Promise.all([
      run('-q', '-w', '24', '-c', 'idx,tflops,peak'),
      run('-q', '-f', 'table', '-c', 'idx,floor,peak'),
    ]);
    expect(columns.stdout).to.equal(
      '    Idx  TFLOP/s  Peak%\n      1  137.439  44.05\n      2        !      !\n      3   68.719  22.03\n',
    );
    expect(table.stdout).to.include('│   1 │   440,509 │ 44.05 │').and.to.include('│   2 │   440,509 │     ! │');
  });

  it('holds kernels to the device that --peaks names', async () => {
    const { stdout, stderr } = await run('-c', 'idx,peak', '--peaks', 'h100-sxm');
    // 137.44, 343.60 and 68.72 of 989 TFLOP/s
    expect(stdout).to.equal('Idx Peak%\n1 13.90\n2 34.74\n3 6.95\n');
    expect(stderr).to.equal('');
  });

  it('says nothing of rates that it does not show', async () => {
    expect((await run('-c', 'idx,flops')).stderr).to.equal('');
  });

  it('explains them', async () => {
    const { stdout } = await run('--explain', '2');
    expect(stdout).to.match(/^device +A100 40GB: NVIDIA A100 whitepaper/m);
    expect(stdout).to.match(
      /^arithmetic +343.6 TFLOP\/s, 110.1 % of the peak: above the peak, so the counts or the recorded time are wrong/m,
    );
    expect(stdout).to.match(/^bound +compute; 1365 FLOP\/byte$/m);
    expect(stdout).to.match(/^floor +440500 ns; the kernel took 0.908 times as long$/m);
    const other = await run('--explain', '2', '--peaks', 'H200');
    expect(other.stdout).to.match(/^device +H200: /m);
  });

  it('lists the devices, one a line', async () => {
    const { stdout, code } = await run('--devices');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).to.have.length(DEVICES.length);
    expect(stdout).to.match(
      /^A100 40GB +1555 GB\/s; TFLOP\/s: matrix .*bf16 312 .*; vector .*fp32 19.5.*; NVIDIA A100/m,
    );
    expect(code).to.equal(0);
  });

  describe('--peaks', () => {
    let folder = '';
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'dprof-device-'));
    });
    after(() => {
      rmSync(folder, { recursive: true });
    });

    it('takes a file', async () => {
      const path = join(folder, 'part.json');
      writeFileSync(path, '{"name":"Part","bytesPerS":1e12,"peaks":{"matrix":{"bf16":687.19476736e12}}}');
      const { stdout, stderr } = await run('-c', 'idx,peak,bw', '--peaks', path);
      // 100663296 bytes in 1 ms are 10.07 % of 1000 GB/s.
      expect(stdout).to.equal('Idx Peak% BW%\n1 20.00 10.07\n2 50.00 25.17\n3 10.00 5.03\n');
      expect(stderr).to.equal('');
    });

    it('is taken by every command that uses peaks', async () => {
      const partOf = (bytesPerS: number): string => {
        const path = join(folder, `${bytesPerS}.json`);
        writeFileSync(path, JSON.stringify({ name: 'Part', bytesPerS, peaks: { matrix: { bf16: 687.19476736e12 } } }));
        return path;
      };
      const input = join(folder, 'records.dict');
      writeFileSync(input, RECORDS);
      const summary = await runCli('dprof', ['summary', '-q', '-f', 'jsonl', '--peaks', partOf(1e12), input]);
      const { kernels } = JSON.parse(summary.stdout) as { kernels: { work: { computeShare: number } } };
      // 20, 50 and 10 % of 1, 0.4 and 2 ms: 0.6 of 3.4 ms.
      expect(kernels.work.computeShare).to.be.closeTo(0.6 / 3.4, 1e-9);
      const path = partOf(1e9);
      // 100,663,296 bytes take 0.1 s at 1 GB/s: memory bounds what A100's arithmetic does.
      const diff = await runCli('dprof', ['diff', '-q', '-f', 'csv', '--by', 'bound', '--peaks', path, input, input]);
      expect(diff.stdout).to.match(/^key,memory,/m);
      const html = await runCli('dprof', ['html', '-q', '-o', join(folder, 'page.html'), '--peaks', path, input]);
      expect(html.code).to.equal(0);
      expect(readFileSync(join(folder, 'page.html'), 'utf8')).to.include('"roofs":[{"device":0,"name":"Part"');
      for (const command of ['summary', 'advise', 'html', 'perfetto', 'diff']) {
        const ran = await runCli('dprof', [command, '--peaks', 'H100 SMX', '-o', join(folder, 'none'), input, ...(command === 'diff' ? [input] : [])]); // prettier-ignore
        expect([command, ran.code, ran.stderr.includes("unknown device 'H100 SMX'")]).to.deep.equal([command, 2, true]);
      }
    });

    it('answers what it cannot take with one line', async () => {
      const broken = join(folder, 'broken.json');
      writeFileSync(broken, '{"name":"Part"}');
      const [typo, missing, bad, place] = await Promise.all([
        run('--peaks', 'H100 SMX'),
        run('--peaks', join(folder, 'none.json')),
        run('--peaks', broken),
        run('--peaks', folder),
      ]);
      expect([typo.code, typo.stderr]).to.deep.equal([
        2,
        "dprof: unknown device 'H100 SMX', and no such file (did you mean 'H100 SXM'?)\n",
      ]);
      expect(missing.code).to.equal(1);
      expect(missing.stderr).to.match(/^dprof: .*none\.json: [^\n]*no such file[^\n]*\n$/);
      expect(bad.code).to.equal(1);
      expect(bad.stderr).to.match(/^dprof: .*broken\.json: peaks is missing \([^\n]*\)\n$/);
      expect(place.code).to.equal(1);
      expect(place.stderr)
        .to.match(/^dprof: .*: is a directory \([^\n]*\)\n$/)
        .and.include(folder);
      expect([typo.stdout, missing.stdout, bad.stdout, place.stdout]).to.deep.equal(['', '', '', '']);
    });
  });

  itShared(
    'the FFMA kernels of a real profile did not use the matrix unit',
    ['data/nsys/h100_2gpu_orphans.sqlite'],
    async ([profile = '']) => {
      const { stdout } = await runCli('dprof', ['-q', '-f', 'jsonl', '-c', 'tc,tcwhy', '--where', 'long~_ffma_', profile]); // prettier-ignore
      const rows = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((row) => !('doubts' in row));
      expect(rows).to.have.length.above(100);
      for (const row of rows) expect(row).to.deep.equal({ tc: 0, tcwhy: 'ffma' });
    },
  );
});
