import { expect } from 'chai';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { freshPath } from '../../support/fresh-path.js';
import { recordsOf } from '../../support/profile-records.js';
import { runCli } from '../../support/run-cli.js';
import { join } from 'node:path';
import { ROOT } from '../../support/shared.js';

const SAMPLE = join(ROOT, 'samples/lenet.nsys.sqlite');

/** A report of the sample's kernels, each with its number as a counter. */
function report(): string {
  const head = ['ID', 'Process ID', 'Kernel Name', 'Stream', 'Block Size', 'Grid Size', 'Device', 'CC', 'number'];
  const rows = recordsOf(SAMPLE).flatMap((line) => {
    if (line.type !== 'kernel') return [];
    const sizes = [line.block, line.grid].map((extent) => `(${extent?.join(', ') ?? ''})`);
    return [[String(line.id), '1', line.name, '7', ...sizes, '0', '7.0', String(line.id)]];
  });
  const path = freshPath('.csv');
  writeFileSync(path, [head, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n'));
  return path;
}

describe('dparse --ncu', () => {
  it('gives each kernel the counters of its own launch', async () => {
    const parsed = await runCli('dparse', ['--ncu', report(), SAMPLE]);
    expect(parsed.code).to.equal(0);
    const args = ['-q', '--csv', '--no-header', '-c', 'idx,counter:number'];
    const { stdout } = await runCli('dprof', args, { input: parsed.stdout });
    expect(stdout).to.equal(Array.from({ length: 126 }, (_, i) => `${i + 1},${i + 1}\n`).join(''));
  });

  it('is an option of dprof on a raw profile too', async () => {
    const args = ['-q', '--csv', '--no-header', '-c', 'idx,counter:number', '--ncu', report(), SAMPLE];
    const { stdout, stderr, code } = await runCli('dprof', args);
    expect([stderr, code]).to.deep.equal(['', 0]);
    expect(stdout).to.equal(Array.from({ length: 126 }, (_, i) => `${i + 1},${i + 1}\n`).join(''));
  });

  it("counts FLOPs by the tensor metrics of Blackwell's instructions", async () => {
    const vector = ['add', 'mul', 'fma'].map((name) => [`smsp__sass_thread_inst_executed_op_f${name}_pred_on.sum`, 10]);
    const tensor = [
      ['sm__inst_executed_pipe_tensor.sum', 2],
      ['sm__ops_path_tensor_op_utcqmma_src_fp4_fp6_fp8_dst_fp32.sum', 4096],
      ['sm__ops_path_tensor_op_utchmma_src_bf16_dst_fp32.sum', 1024],
    ];
    const cells = [['ID', '1'], ['Kernel Name', 'gemm'], ['Device', '0'], ['CC', '10.0'], ...vector, ...tensor];
    const path = freshPath('.csv');
    writeFileSync(path, [0, 1].map((i) => cells.map((cell) => `"${cell[i]}"`).join(',')).join('\n'));
    const { stdout } = await runCli('dprof', ['-q', '--csv', '--no-header', '-c', 'hwflops,hwtc', path]);
    // 10 + 10 + 2 · 10 of the vector units.
    expect(stdout).to.equal(`${40 + 4096 + 1024},1\n`);
  });

  it('has a line for a counter that no kernel has', async () => {
    const args = ['-c', 'idx,counter:nmuber', '--top', '1', '--sort', 'idx', report()];
    const { stderr, code } = await runCli('dprof', args);
    expect(code).to.equal(0);
    expect(stderr).to.match(/: no kernel has the counter nmuber \(-c counters lists the available counters\)\n/);
  });

  it('reads a report alone', async () => {
    const { stdout, code } = await runCli('dprof', [
      '-q',
      '--csv',
      '--no-header',
      '-c',
      'idx,start,counter:number',
      report(),
    ]);
    expect(code).to.equal(0);
    expect(stdout.split('\n').slice(0, 2)).to.deep.equal(['1,na,1', '2,na,2']);
  });

  it('counts rows of the report that are cut off with those of the profile', async () => {
    const path = report();
    appendFileSync(path, '\n"127","1","cut of');
    const parsed = await runCli('dparse', ['--ncu', path, SAMPLE]);
    const end = JSON.parse(parsed.stdout.trimEnd().split('\n').at(-1) ?? '') as { diagnostics: unknown };
    expect(end.diagnostics).to.deep.include({ 'truncated-input': 1 });
    expect(parsed.stderr).to.include('truncated files');
  });

  it('says that a compressed report has to be unpacked', async () => {
    const path = freshPath('.csv.gz');
    writeFileSync(path, gzipSync(readFileSync(report())));
    const { stderr, code } = await runCli('dparse', ['--ncu', path, SAMPLE]);
    expect({ stderr, code }).to.deep.equal({ stderr: `dparse: ${path}: is compressed (unpack it first)\n`, code: 1 });
  });

  it('says what is wrong with a report, and overwrites none', async () => {
    const cases: readonly (readonly [file: string, answer: string])[] = [
      ['none.csv', 'dparse: none.csv: no such file\n'],
      ['samples', 'dparse: samples: is not a file\n'],
      [
        'README.md',
        "dparse: README.md: is not an Nsight Compute CSV: columns 'ID' and 'Kernel Name' are missing (ncu --csv --page raw prints it)\n",
      ],
    ];
    for (const [file, answer] of cases) {
      const { stdout, stderr, code } = await runCli('dparse', ['--ncu', file, SAMPLE]);
      expect({ stdout, stderr, code }).to.deep.equal({ stdout: '', stderr: answer, code: 1 });
    }
    const path = report();
    const before = readFileSync(path);
    const { stderr, code } = await runCli('dparse', ['--ncu', path, '-o', path, SAMPLE]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dparse: .*is the input .*\n$/);
    expect(readFileSync(path).equals(before)).to.equal(true);
  });
});
