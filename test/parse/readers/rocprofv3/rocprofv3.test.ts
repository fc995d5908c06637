import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rocprofCsv, type RocprofRow } from '../../../../samples/programs/write-rocprof-csv.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'matmul_kernel_trace.csv');

function file(text: string | Buffer): string {
  const path = freshPath('.csv');
  writeFileSync(path, text);
  return path;
}

const KERNEL: RocprofRow = {
  ...{
    Kind: 'KERNEL_DISPATCH',
    Agent_Id: 'Agent 4',
    Queue_Id: 3,
    Stream_Id: 5,
    Kernel_Name: 'scale',
    Correlation_Id: 9,
  },
  ...{ Start_Timestamp: 1000, End_Timestamp: 1250, LDS_Block_Size: 512, VGPR_Count: 24 },
  ...{ Workgroup_Size_X: 64, Workgroup_Size_Y: 4, Grid_Size_X: 640, Grid_Size_Y: 10 },
};
const written = (cells: RocprofRow = {}): string => file(rocprofCsv([{ ...KERNEL, ...cells }]));

describe('rocprofv3: the sample', () => {
  it('counts times from the first kernel, although they are above 2^53', () => {
    expect(headerOf(SAMPLE)).to.deep.include({ format: 'rocprofv3-csv', tool: 'rocprofv3', startUnixNs: null });
    expect(headerOf(SAMPLE).devices).to.deep.equal([
      { id: 4, vendor: 'amd', name: null, arch: null, units: null, clockHz: null, memBytesPerS: null, memBytes: null },
    ]);
    expect(kernelsOf(SAMPLE).map(({ start, dur, stream, corr }) => [start, dur, stream, corr])).to.deep.equal([
      [0, 42_000, 1, 1],
      [44_000, 9000, 2, 2],
      [50_000, 42_000, 1, 3],
      [94_000, 9000, 2, 4],
      [100_000, 42_000, 1, 5],
      [144_000, 9000, 2, 6],
    ]);
  });

  it('has grids in blocks: 2048 by 8 threads in blocks of 256, 1000 by 8 in those of 64 by 4', () => {
    expect(kernelsOf(SAMPLE).slice(0, 2).map(({ grid, block, registers, sharedBytes }) => [grid, block, registers, sharedBytes])).to.deep.equal([
      [[8, 8, 1], [256, 1, 1], 124, 32_768],
      [[16, 2, 1], [64, 4, 1], 16, 0],
    ]); // prettier-ignore
  });
});

describe('rocprofv3: cells', () => {
  it('has a kernel by the cells of its row, without a launch', () => {
    expect(onlyKernelOf(written())).to.deep.include({
      ...{ name: 'scale', start: 0, dur: 250, device: 4, stream: 5, corr: 9, launch: null },
      ...{ grid: [10, 3, 1], block: [64, 4, 1], registers: 24, sharedBytes: 512 },
    });
    expect(diagnosticsOf(written())).to.deep.equal({ 'kernel-without-launch': 1 });
  });

  it('takes the number of an agent, however it is written', () => {
    expect(['Agent 12', 'GPU 0', 1].map((id) => onlyKernelOf(written({ Agent_Id: id })).device)).to.deep.equal([12, 0, 1]); // prettier-ignore
  });

  it('has an unknown correlation id for 0, which all kernels of ROCm 6.2.0 have', () => {
    expect(onlyKernelOf(written({ Correlation_Id: 0 })).corr).to.equal(null);
  });

  it('keeps commas and quotes of a name', () => {
    expect(onlyKernelOf(written({ Kernel_Name: 'f<"a", 2>(int, int)' })).name).to.equal('f<"a", 2>(int, int)');
  });

  it('has unknown fields for cells that are no numbers, and no kernel less', () => {
    const bad = { Stream_Id: 'x', Queue_Id: '', End_Timestamp: 'x', Grid_Size_X: '', VGPR_Count: 'x' };
    expect(onlyKernelOf(written({ ...bad, Kernel_Name: '' }))).to.deep.include({
      ...{ name: 'kernel#na', start: 0, dur: null, stream: null, grid: null, registers: null },
    });
  });

  it('loses no time to a first one that is damaged', () => {
    const starts = ['9'.repeat(18), 9_100_000_000_000_000n, 9_100_000_000_000_300n];
    const rows = starts.map((start) => ({ ...KERNEL, Start_Timestamp: start, End_Timestamp: 9_100_000_000_000_400n }));
    expect(kernelsOf(file(rocprofCsv(rows))).map(({ start, dur }) => [start, dur])).to.deep.include.members([[0, 400], [300, 100]]); // prettier-ignore
  });
});

describe('rocprofv3: other versions', () => {
  const rewritten = (change: (text: string) => string): string =>
    file(change(rocprofCsv([KERNEL]).toString().trimEnd()));

  it('takes the queue where there are no streams, and local memory by its older name, as in 2024', () => {
    const path = rewritten((text) =>
      text.replace('Stream_Id', 'Other').replace('LDS_Block_Size', 'Group_Segment_Size').replace('VGPR', 'Other'),
    );
    expect(onlyKernelOf(path)).to.deep.include({ stream: 3, sharedBytes: 512, registers: null });
  });

  it('reads columns in other capitals and behind another one, all quoted, after a byte order mark', () => {
    const convert = (line: string, i: number): string =>
      `"${i === 0 ? 'Guid' : 'a-b'}",${i === 0 ? line.replace('LDS', 'Lds').replace('VGPR', 'Vgpr') : line}`;
    const path = rewritten((text) => `\uFEFF${text.split('\n').map(convert).join('\r\n')}\n\n`);
    expect(onlyKernelOf(path)).to.deep.include({ name: 'scale', device: 4, sharedBytes: 512, registers: 24 });
  });

  it('refuses a table that is no kernel trace, with the file to give', async () => {
    const path = file('"Kind","Direction","Start_Timestamp"\n"MEMORY_COPY","H2D",1\n');
    expect((await runCli('dparse', [path])).stderr).to.include('is text');
    expect((await runCli('dparse', ['--input-format', 'rocprofv3-csv', path])).stderr).to.include(
      'has no columns Kernel_Name and Start_Timestamp (give the file that ends in _kernel_trace.csv)',
    );
  });
});

/** Figures of a real file: kernels, their time in ns, their names, those with all three sizes. */
const figures = (path: string): number[] => {
  const kernels = kernelsOf(path);
  const known = kernels.filter(({ grid, block }) => grid !== null && block !== null);
  const ns = kernels.reduce((all, { dur }) => all + (dur ?? NaN), 0);
  return [kernels.length, ns, new Set(kernels.map(({ name }) => name)).size, known.length];
};

describe('rocprofv3: real files', () => {
  // Times and names by a program that reads the columns and nothing else.
  itShared('llama.cpp with graphs', ['data/amd/csv_decode/decode_kernel_trace.csv'], ([path = '']) => {
    expect(figures(path)).to.deep.equal([144, 1_857_381, 17, 144]);
  });

  itShared('the documentation of 2024', ['data/amd/csv_docs_2024/kernel_trace.csv'], ([path = '']) => {
    expect(figures(path)).to.deep.equal([7, 795_453, 3, 7]);
  });

  itShared('the documentation of 2025', ['data/amd/csv_docs_2025/kernel_trace.csv'], ([path = '']) => {
    expect(figures(path)).to.deep.equal([9, 96_160, 4, 9]);
    expect(recordsOf(path).filter(({ type }) => type !== 'kernel').map(({ type }) => type)).to.deep.equal(['profile', 'end']); // prettier-ignore
  });
});
