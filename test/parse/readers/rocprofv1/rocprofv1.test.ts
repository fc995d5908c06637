import Database from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RocprofDatabase } from '../../../../samples/programs/write-rocprof-v1.js';
import { freshFolder, freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'saxpy_rocprof.db');

function file(bytes: Buffer | string, ending = '.db'): string {
  const path = freshPath(ending);
  writeFileSync(path, bytes);
  return path;
}
const written = (fill: (database: RocprofDatabase) => void): string => {
  const database = new RocprofDatabase();
  fill(database);
  return file(database.bytes());
};
const some = (path: string, type: string): object[] => recordsOf(path).filter((record) => record.type === type);

describe('rocprof before rocprofv3: the sample', () => {
  it('has kernels with launch, grid and block of their call, whose axes the text has from the last to the first', () => {
    expect(headerOf(SAMPLE)).to.deep.include({ format: 'rocprof-v1', tool: 'rocprof', startUnixNs: null });
    const common = {
      name: 'saxpy(int, float, float*, float*)',
      grid: [64, 2, 1],
      block: [256, 1, 1],
      device: 4,
      stream: 1,
    };
    const kernels = kernelsOf(SAMPLE);
    expect(kernels[0]).to.deep.include({ ...common, start: 108_000, dur: 10_000, launch: { api: 'hipLaunchKernel', start: 100_000, dur: 5000 } }); // prettier-ignore
    expect(kernels[1]).to.deep.include({ ...common, start: 128_000, launch: { api: 'hipLaunchKernel', start: 120_000, dur: 5000 } }); // prettier-ignore
    expect(kernels).to.have.length(2);
  });

  it('has bytes of copies from their calls, and memory in use', () => {
    const [first, second] = some(SAMPLE, 'copy');
    expect(first).to.deep.include({ kind: 'HtoD', bytes: 65_536, start: 30_000, dur: 31_000 });
    expect(second).to.deep.include({ kind: 'DtoH', bytes: 65_536, start: 155_000 });
    expect(some(SAMPLE, 'sample')).to.deep.equal(
      [[10_000, 65_536], [200_000, 0]].map(([start, value]) => ({ type: 'sample', profile: 0, start, device: 4, metric: 'memory_allocated', value, unit: 'bytes', labels: { level: 'real' } })),
    ); // prettier-ignore
    expect(diagnosticsOf(SAMPLE)).to.deep.equal({});
  });
});

describe('rocprof before rocprofv3: tables', () => {
  it('has the kernels of a run without calls, without the quotes of their names', () => {
    const path = written((database) => {
      database.kernel('scale(float*)', [5000, 5250]);
    });
    expect(onlyKernelOf(path)).to.deep.include({
      ...{ name: 'scale(float*)', start: 0, dur: 250, device: 4, stream: 2, launch: null },
      ...{ grid: null, block: null, registers: 40, sharedBytes: 1024 },
    });
  });

  it('has each kernel once where both tables have it', () => {
    const path = written((database) => {
      database.kernel('scale(float*)', [5000, 5250]);
      database.work('OPS', 'scale(float*)', [5000, 5250], database.call('hipLaunchKernel', '', [4000, 4100]));
    });
    expect(onlyKernelOf(path).launch).to.deep.include({ api: 'hipLaunchKernel' });
  });

  it('joins work to calls of HIP, not to those of HSA with the same number', () => {
    const path = written((database) => {
      database.call('hsa_signal_create', '', [3000, 3100], 'HSA');
      database.call('hipLaunchKernel', '', [4000, 4100]);
      database.work('OPS', 'f', [5000, 5100], 1);
      database.work('OPS', 'g', [6000, 6100], 2);
    });
    expect(kernelsOf(path).map(({ launch }) => launch?.api ?? null)).to.deep.equal([null, 'hipLaunchKernel']);
  });

  it('takes device properties from the output of rocminfo beside', () => {
    const folder = freshFolder();
    const agent = (node: number, type: string): string =>
      `*******\nAgent ${node + 1}\n*******\n  Name:                    gfx942\n  Marketing Name:          AMD Instinct MI300A\n  Node:                    ${node}\n  Device Type:             ${type}\n  Max Clock Freq. (MHz):   2100\n  Compute Unit:            228\n      Size:                    100(0x64) KB\n`;
    copyFileSync(SAMPLE, join(folder, 'results.db'));
    writeFileSync(join(folder, 'results.sysinfo.txt'), `HSA Agents\n${agent(0, 'CPU')}${agent(4, 'GPU')}`);
    expect(headerOf(join(folder, 'results.db')).devices).to.deep.equal([
      { id: 4, vendor: 'amd', name: 'AMD Instinct MI300A', arch: 'gfx942', units: 228, clockHz: 2_100_000_000, memBytesPerS: null, memBytes: 102_400 },
    ]); // prettier-ignore
  });
});

describe('rocprof before rocprofv3: texts', () => {
  const table =
    'Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,SQ_WAVES,BeginNs,EndNs\n' +
    '0,"void f(int, int) [clone .kd]",4,2,0,50,51,65536,256,1024,0,40,0,32,64,0x0,0x0,1024.0,9000,9250\n';

  it('has a kernel for each row of the table, and a counter for each other column', () => {
    expect(onlyKernelOf(file(table, '.csv'))).to.deep.include({
      ...{ name: 'void f(int, int)', start: 0, dur: 250, device: 4, stream: 2, registers: 40, sharedBytes: 1024 },
      counters: { SQ_WAVES: 1024 },
    });
    const bare = table.replace(',SQ_WAVES,BeginNs,EndNs', '').replace(',1024.0,9000,9250', '');
    expect(onlyKernelOf(file(bare, '.csv'))).to.deep.include({ dur: null, registers: 40 });
  });

  it('is passed over in a folder for the database of its run, which a message says', async () => {
    const folder = freshFolder();
    copyFileSync(SAMPLE, join(folder, 'results.db'));
    writeFileSync(join(folder, 'results.csv'), table);
    const { stdout, stderr } = await runCli('dparse', [folder]);
    expect(stdout.match(/"type":"profile"/g)).to.have.length(1);
    expect(stderr).to.contain(': 1 file left out, whose run is in results.db: results.csv\n');
  });

  it('names the database for the JSON, whole or a fragment', async () => {
    const event = '{"args":{"name":"CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":0}\n';
    for (const text of [`{ "traceEvents":[{}\n,${event}]}`, `,${event}`]) {
      const { stderr } = await runCli('dparse', [file(text, '.json')]);
      expect(stderr).to.match(
        /is JSON from rocprof before rocprofv3 \(give results\.db, which rocprof wrote next to it\)\n$/,
      );
    }
  });
});

describe('rocprof before rocprofv3: other tables', () => {
  const LAUNCH = '( kernel(f) numBlocks({z(1) y(2) x(64}) dimBlocks({z(1) y(1) x(256}) stream(1))';
  const changed = (fill: (database: RocprofDatabase) => void, sql: string): string => {
    const path = written(fill);
    const database = new Database(path);
    database.exec(sql);
    database.close();
    return path;
  };

  it('says that only calls were recorded, where there are no others', () => {
    const path = changed((database) => {
      database.call('hipInit', '( flags(0))', [100, 200]);
    }, ['HSA', 'OPS', 'COPY', 'KERN'].map((table) => `DROP TABLE IF EXISTS ${table};`).join('')); // prettier-ignore
    expect(diagnosticsOf(path)).to.deep.equal({ 'work-not-recorded': 1 });
  });

  it('counts memory of the host apart from that of the device; to free the address 0 releases nothing', () => {
    const path = written((database) => {
      database.work('OPS', 'f', [1300, 1400], database.call('hipLaunchKernel', LAUNCH, [1100, 1200]));
      database.call('hipMalloc', '( ptr(0x10) size(64))', [1000, 1010]);
      database.call('hipHostMalloc', '( ptr(0x20) sizeBytes(128) flags(0))', [1020, 1030]);
      database.call('hipFree', '( ptr(0x0))', [1040, 1050]);
      database.call('hipHostFree', '( ptr(0x20))', [1060, 1070]);
    });
    const samples = recordsOf(path).filter((record) => record.type === 'sample');
    expect(samples.map(({ device, value }) => [device, value])).to.deep.equal([
      [4, 64],
      [null, 128],
      [null, 0],
    ]);
    expect(diagnosticsOf(path)).to.deep.equal({});
  });

  it('takes the queue where there are no streams, and registers by their older name', () => {
    const sql = 'ALTER TABLE OPS DROP COLUMN "stream-id"; UPDATE OPS SET "queue-id" = 3';
    const path = changed((database) => { database.work('OPS', 'f', [300, 400], 7); }, sql); // prettier-ignore
    expect(onlyKernelOf(path).stream).to.equal(3);
    const older = changed((database) => { database.kernel('f', [300, 400]); }, 'ALTER TABLE KERN RENAME COLUMN arch_vgpr TO vgpr'); // prettier-ignore
    expect(onlyKernelOf(older).registers).to.equal(40);
  });
});

describe('rocprof before rocprofv3: a real file', () => {
  itShared('of an MI300A', ['data/amd/rocprofv1/results.db'], ([path = '']) => {
    expect(onlyKernelOf(path)).to.deep.include({
      dur: 3_431_611,
      grid: [3_906_250, 1, 1],
      block: [256, 1, 1],
      device: 4,
    });
    expect(onlyKernelOf(path).launch).to.deep.include({ api: 'hipLaunchKernel' });
    const copies = recordsOf(path).filter((record) => record.type === 'copy');
    const sumOf = (of: 'dur' | 'bytes'): number => copies.reduce((sum, copy) => sum + (copy[of] ?? NaN), 0);
    expect([sumOf('dur'), sumOf('bytes')]).to.deep.equal([1_066_407_390, 12_000_000_000]);
    expect(copies.map(({ kind, launch }) => [kind, launch?.api])).to.deep.equal([['HtoD', 'hipMemcpy'], ['HtoD', 'hipMemcpy'], ['DtoH', 'hipMemcpy']]); // prettier-ignore
    expect(headerOf(path).devices).to.have.length(4);
    const calls = recordsOf(path, { ranges: true }).filter(({ type }) => type === 'range');
    expect(calls).to.have.length(13);
  });
});
