import Database from 'better-sqlite3';
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS, RocpdDatabase } from '../../../../samples/programs/write-rocpd.js';
import type { CopyRecord, ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js'; // prettier-ignore
import { runCli } from '../../../support/run-cli.js';
import { itShared, ROOT } from '../../../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'mlp_results.db');
/** Ending of the names of tables in databases of the sample's program. */
const ENDING = '_00000d2c_5a3c_7e1f_9c4d_0a1b2c3d4e5f';

/** `$` in the SQL stands for the ending of tables. */
function written(fill: (database: RocpdDatabase) => void, sql = ''): string {
  const [database, path] = [new RocpdDatabase(1_000_000), freshPath('_results.db')];
  fill(database);
  writeFileSync(path, database.bytes());
  const changed = new Database(path);
  changed.exec(sql.replaceAll('$', ENDING));
  changed.close();
  return path;
}

const SHAPE = { grid: [4, 2, 1], block: [64, 4, 1] } as const;

/** A kernel of 10 to 12 us, launched at 1 us. */
function launched(database: RocpdDatabase): void {
  database.call('hipLaunchKernel', [1000, 5000], 9);
  database.kernel('scale', [10_000, 12_000], 9, SHAPE);
}

const copiesOf = (path: string): CopyRecord[] =>
  recordsOf(path).filter((record): record is CopyRecord => record.type === 'copy');
const samplesOf = (path: string): (readonly [number | null, string, number | null, string | null])[] =>
  recordsOf(path)
    .filter((record): record is SampleRecord => record.type === 'sample')
    .map(({ start, metric, value, unit }) => [start, metric, value, unit] as const);

describe('rocpd: the sample', () => {
  it('states the process, and each GPU with its number, units, clock and largest memory', () => {
    const gpu = { vendor: 'amd', name: 'AMD Instinct MI300X', arch: 'gfx942', units: 304, clockHz: 2.1e9, memBytesPerS: null, memBytes: 206_141_652_992 }; // prettier-ignore
    const header = headerOf(SAMPLE);
    expect(header).to.deep.include({ format: 'rocpd', tool: 'rocprofv3', startUnixNs: null, dur: 1_000_000 });
    expect(header.devices).to.deep.equal([
      { id: 0, ...gpu },
      { id: 1, ...gpu },
    ]);
    expect(JSON.stringify(recordsOf(SAMPLE))).not.to.match(/secret|TOKEN/);
  });

  it('has kernels with launches, grids in blocks, registers, local memory, graphs and ops of ranges', () => {
    const kernels = kernelsOf(SAMPLE);
    const cells = kernels.map(({ start, dur, grid, block, launch, sharedBytes, graph, op }) => [start, dur, grid, block, launch?.api, sharedBytes, graph?.id, op]); // prettier-ignore
    expect(cells).to.deep.equal([
      [65_000, 40_000, [32, 2, 1], [256, 1, 1], 'hipExtModuleLaunchKernel', 8192, undefined, ['mm']],
      [107_000, 4000, [128, 1, 1], [256, 1, 1], 'hipLaunchKernel', 0, undefined, ['relu']],
      [240_000, 40_000, [32, 2, 1], [256, 1, 1], 'hipGraphLaunch', 8192, 7, []],
      [281_000, 4000, [128, 1, 1], [256, 1, 1], 'hipGraphLaunch', 0, 7, []],
    ]);
    expect(kernels.map(({ pid, tid, registers }) => [pid, tid, registers])).to.deep.equal(
      Array(4).fill([4242, 4250, 32]),
    );
  });

  it('adds the parts of a counter up', () => {
    expect(kernelsOf(SAMPLE).map(({ counters }) => counters)).to.deep.equal([
      { SQ_WAVES: 256, TCC_HIT: 4096 },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes the full name of a kernel without the ending of its symbol', () => {
    expect(kernelsOf(SAMPLE)[1]?.name).to.equal(
      'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_relu>(int, at::native::CUDAFunctor_relu)',
    );
  });

  it('has copies, and the memory in use after each allocation and release', () => {
    expect(copiesOf(SAMPLE).map(({ kind, bytes, device, launch }) => [kind, bytes, device, launch?.api])).to.deep.equal(
      [
        ['HtoD', 131_072, 0, 'hipMemcpyAsync'],
        ['DtoH', 262_144, 0, 'hipMemcpyWithStream'],
      ],
    );
    expect(samplesOf(SAMPLE)).to.deep.equal([
      [5000, 'memory_allocated', 4_194_304, 'bytes'],
      [8000, 'memory_allocated', 4_325_376, 'bytes'],
      [340_000, 'memory_allocated', 4_194_304, 'bytes'],
    ]);
  });
});

describe('rocpd: cells', () => {
  it('takes only a call of an API as the launch, not a region that repeats the work', () => {
    const path = written((database) => {
      database.region('scale', [10_000, 12_000], database.event('rocm_kernel_dispatch', 9));
      launched(database);
    });
    expect(onlyKernelOf(path).launch?.api).to.equal('hipLaunchKernel');
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'region rocm_kernel_dispatch: 1' });
  });

  it('has no launch where the stack id is 0, and keeps the kernel', () => {
    const path = written((database) => {
      database.call('hipInit', [0, 5], 0);
      database.kernel('alone', [10, 12], 0, SHAPE);
    });
    expect(onlyKernelOf(path)).to.deep.include({ name: 'alone', launch: null, corr: null, grid: [4, 2, 1] });
  });

  it('cuts the ending of a symbol off the name that rocprof-sys shows', () => {
    const sql = "UPDATE rocpd_info_kernel_symbol$ SET extdata = '{}', display_name = 'scale(float*) [clone .kd]'";
    expect(onlyKernelOf(written(launched, sql)).name).to.equal('scale(float*)');
  });

  it('keeps a kernel without a symbol, and one without a size of its blocks', () => {
    const sql = 'UPDATE rocpd_kernel_dispatch$ SET kernel_id = 0, workgroup_size_x = 0';
    const path = written(launched, sql);
    expect(onlyKernelOf(path)).to.deep.include({ name: 'kernel#na', grid: null });
    expect(diagnosticsOf(path)).to.deep.equal({ 'unknown-name': 1 });
  });

  it('decides the direction of a copy by its name, also where both agents are the GPU', () => {
    const path = written((database) => {
      const { cpu, gpu, secondGpu } = AGENTS;
      database.copy('HOST_TO_DEVICE', [1000, 2000], 0, 4096, [gpu, gpu]);
      database.copy('DEVICE_TO_DEVICE', [3000, 4000], 0, 4096, [gpu, gpu]);
      database.copy('DEVICE_TO_DEVICE', [5000, 6000], 0, 4096, [gpu, secondGpu]);
      database.copy('DEVICE_TO_HOST', [7000, 8000], 0, 4096, [cpu, cpu]);
      launched(database);
    });
    expect(copiesOf(path).map(({ kind, device }) => [kind, device])).to.deep.equal([
      ['HtoD', 0],
      ['DtoD', 0],
      ['PtoP', 1],
      ['DtoH', 0],
    ]);
  });

  it('knows no size of copies that all have the size of the record of the tracer, where calls say another', () => {
    const fill = (size: string) => (database: RocpdDatabase) => {
      const event = database.event('HIP_RUNTIME_API_EXT', 3);
      database.region('hipMemcpy', [0, 900], event);
      database.argument(event, 'sizeBytes', size);
      for (const start of [100, 300]) database.copy('HOST_TO_DEVICE', [start, start + 50], 3, 104, [AGENTS.cpu, AGENTS.gpu]); // prettier-ignore
    };
    expect(copiesOf(written(fill('4096'))).map(({ bytes }) => bytes)).to.deep.equal([null, null]);
    expect(copiesOf(written(fill('104'))).map(({ bytes }) => bytes)).to.deep.equal([104, 104]);
  });

  it('counts memory by address: a release without an allocation is counted, other rows are not read', () => {
    const path = written((database) => {
      database.allocation('FREE', [10, 20], 0x100, 96, null);
      database.allocation('ALLOC', [30, 40], 0x200, 512);
      database.allocation('RECLAIM', [45, 46], 0x200, 0);
      database.allocation('FREE', [50, 60], 0x200, 96, null);
    });
    expect(samplesOf(path)).to.deep.equal([
      [40, 'memory_allocated', 512, 'bytes'],
      [50, 'memory_allocated', 0, 'bytes'],
    ]);
    expect(diagnosticsOf(path)).to.deep.equal({ 'free-without-allocation': 1, 'event-not-read': 1 });
  });

  it('gives each sample the value of its own series, in bytes and watts, and none that the device does not state', () => {
    const path = written((database) => {
      const event = database.sample('device_power', 100, 65_535, 'w');
      database.sample('device_memory_usage', 100, 512, 'GB', event);
      database.sample('device_temp', 100, 41, '°C', event);
      launched(database);
    });
    expect(samplesOf(path)).to.have.deep.members([
      [100, 'device_power', null, 'W'],
      [100, 'memory_used', 512e6, 'bytes'],
      [100, 'device_temp', 41, '°C'],
    ]);
    expect(onlyKernelOf(path).counters).to.equal(undefined);
  });

  it('starts with its first row where the times of the process are 0', () => {
    const path = written(launched, 'UPDATE rocpd_info_process$ SET init = 0, fini = 0');
    expect(onlyKernelOf(path).start).to.equal(9000);
    expect(headerOf(path).dur).to.equal(11_000);
  });

  it('finds process, thread, device and stream in the track of a row since schema 4', () => {
    const columns = 'nid pid tid agent_id queue_id stream_id'.split(' ');
    const drops = columns.map((column) => `ALTER TABLE rocpd_kernel_dispatch$ DROP COLUMN ${column};`).join('');
    const adds = 'agent_id queue_id stream_id'.split(' ').map((column) => `ALTER TABLE rocpd_track$ ADD COLUMN ${column};`).join(''); // prettier-ignore
    const path = written(
      launched,
      `DROP VIEW rocpd_kernel_dispatch; ${drops} ALTER TABLE rocpd_kernel_dispatch$ ADD COLUMN track_id INTEGER DEFAULT 5;
       CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch$;
       ${adds} INSERT INTO rocpd_track$ (id, guid, pid, tid, agent_id, stream_id) VALUES (5, '', 15, 16, 2, 8);
       CREATE TABLE rocpd_info_category$ AS SELECT id, string AS name FROM rocpd_string$`,
    );
    expect(onlyKernelOf(path)).to.deep.include({ device: 1, stream: 8, pid: 4242 });
    expect(onlyKernelOf(path).launch?.api).to.equal('hipLaunchKernel');
  });

  it('keeps runs of one file apart: ids and process ids may be the same', () => {
    const tables = 'info_process info_thread info_agent info_kernel_symbol string event region kernel_dispatch'.split(
      ' ',
    );
    const copies = tables.map((table) => `CREATE TABLE rocpd_${table}_b AS SELECT * FROM rocpd_${table}$;`).join('');
    const path = written(launched, `${copies} UPDATE rocpd_region_b SET start = start + 500;
      UPDATE rocpd_string_b SET string = 'hipModuleLaunchKernel' WHERE string = 'hipLaunchKernel'`); // prettier-ignore
    const kernels = kernelsOf(path);
    expect(kernels.map(({ launch, pid }) => [launch?.api, launch?.start, pid])).to.have.deep.members([
      ['hipLaunchKernel', 1000, 4242],
      ['hipModuleLaunchKernel', 1500, 4242 + 2 ** 32],
    ]);
    expect(headerOf(path).devices.map(({ id }) => id)).to.deep.equal([0, 1]);
  });
});

describe('rocpd: dialects', () => {
  it('reads tables without the ending of a run, and refuses several runs in the same ones', async () => {
    const named = 'metadata string info_process info_thread info_agent info_kernel_symbol info_pmc track event arg pmc_event region sample kernel_dispatch memory_copy memory_allocate'; // prettier-ignore
    const plain = named.split(' ').map((table) => `DROP VIEW rocpd_${table}; ALTER TABLE rocpd_${table}$ RENAME TO rocpd_${table};`).join(''); // prettier-ignore
    expect(onlyKernelOf(written(launched, plain))).to.deep.include({ name: 'scale', device: 0, pid: 4242 });
    const two = `${plain} INSERT INTO rocpd_info_process (id, guid, pid) VALUES (99, 'other', 7)`;
    const { stderr, code } = await runCli('dparse', [written(launched, two)]);
    expect([code, stderr.includes('has 2 runs in the same tables')]).to.deep.equal([1, true]);
  });

  it('numbers GPUs without an index of their type, and takes the architecture of schema 4.1', () => {
    const path = written(
      launched,
      `UPDATE rocpd_info_agent$ SET type_index = NULL;
       ALTER TABLE rocpd_info_agent$ RENAME COLUMN user_name TO generic_name;
       UPDATE rocpd_info_agent$ SET generic_name = name, name = 'the first of us'`,
    );
    expect(headerOf(path).devices.map(({ id, arch }) => [id, arch])).to.deep.equal([
      [0, 'gfx942'],
      [1, 'gfx942'],
    ]);
    expect(onlyKernelOf(path).device).to.equal(0);
    expect(diagnosticsOf(path)).to.deep.equal({});
  });

  it('dates samples where there is nothing else, on a machine that has run for months', () => {
    const [database, path] = [new RocpdDatabase(9_000_000_000_000_000), freshPath('_results.db')];
    database.sample('device_temp', 100, 41, '°C');
    writeFileSync(path, database.bytes());
    expect(samplesOf(path)).to.deep.equal([[100, 'device_temp', 41, '°C']]);
  });

  it('gives the series of two GPUs that share an event once each', () => {
    const path = written((database) => {
      const event = database.sample('device_temp', 100, 41, '°C');
      database.sample('device_temp', 100, 43, '°C', event);
      launched(database);
    }, 'UPDATE rocpd_info_pmc$ SET agent_id = 2 WHERE id = (SELECT max(id) FROM rocpd_info_pmc$)'); // prettier-ignore
    const samples = recordsOf(path).filter((record) => record.type === 'sample');
    expect(samples.map(({ device, value }) => [device, value])).to.deep.equal([
      [0, 41],
      [1, 43],
    ]);
  });

  it('believes the size of small copies that their own calls state, whatever other calls do', () => {
    const path = written((database) => {
      for (const [name, stack, size] of [
        ['hipMemcpyAsync', 3, '4'],
        ['hipMemset', 4, '4096'],
        ['hipMemcpy', 5, '65536'],
      ] as const) {
        const event = database.event('HIP_RUNTIME_API_EXT', stack);
        database.region(name, [stack * 1000, stack * 1000 + 900], event);
        database.argument(event, 'sizeBytes', size);
      }
      database.copy('DEVICE_TO_HOST', [3100, 3150], 3, 4, [AGENTS.gpu, AGENTS.cpu]);
    });
    expect(copiesOf(path).map(({ bytes }) => bytes)).to.deep.equal([4]);
  });

  it('averages percentages over the parts of a device, and leaves out values of streamed samples', () => {
    const counters = { BUSY: [20, 40, 60], WAVES: [3, 4, 100] };
    const path = written(
      (database) => {
        database.kernel('scale', [10_000, 12_000], 9, { ...SHAPE, counters });
      },
      `ALTER TABLE rocpd_info_pmc$ ADD COLUMN expression TEXT;
       UPDATE rocpd_info_pmc$ SET expression = '100*reduce(A,sum)/reduce(B,max)' WHERE name = 'BUSY';
       ALTER TABLE rocpd_pmc_event$ ADD COLUMN sample_id INTEGER;
       UPDATE rocpd_pmc_event$ SET sample_id = CASE value WHEN 100 THEN 7 ELSE 0 END`,
    );
    expect(onlyKernelOf(path).counters).to.deep.equal({ BUSY: 40, WAVES: 7 });
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'counter values sampled over time: 1' });
  });

  it('counts values of counters that no kernel gets, by what they lack', () => {
    const path = written(
      (database) => database.kernel('scale', [10_000, 12_000], 9, { ...SHAPE, counters: { WAVES: [3, 4] } }),
      `INSERT INTO rocpd_pmc_event$ (guid, event_id, pmc_id, value) SELECT guid, NULL, pmc_id, 5 FROM rocpd_pmc_event$ LIMIT 1;
       INSERT INTO rocpd_pmc_event$ (guid, event_id, pmc_id, value) SELECT guid, event_id, 99, 6 FROM rocpd_pmc_event$ LIMIT 1;
       INSERT INTO rocpd_pmc_event$ (guid, event_id, pmc_id) SELECT guid, event_id, pmc_id FROM rocpd_pmc_event$ LIMIT 1;
       INSERT INTO rocpd_pmc_event$ (guid, event_id, pmc_id, value) SELECT guid, 77, pmc_id, 8 FROM rocpd_pmc_event$ LIMIT 2`,
    );
    expect(onlyKernelOf(path).counters).to.deep.equal({ WAVES: 7 });
    // Further values: 5 of no event, 6 of an unknown counter, one that is null, and two of an event that is not a dispatch.
    expect(headerOf(path).facts).to.deep.equal({
      not_read:
        'counter values of dispatches without kernels: 2, counter values without a dispatch: 1, counter values without a name: 1, counter values without a number: 1',
    });
  });

  it('releases scratch memory, which has no address, when it is reclaimed', () => {
    const path = written((database) => {
      database.allocation('ALLOC', [30, 40], 0, 512);
      database.allocation('RECLAIM', [45, 46], 0, 0);
      database.allocation('ALLOC', [50, 60], 0, 64);
    }, "UPDATE rocpd_memory_allocate$ SET level = 'SCRATCH', queue_id = 3"); // prettier-ignore
    expect(samplesOf(path).map(([start, , value]) => [start, value])).to.deep.equal([
      [40, 512],
      [45, 0],
      [60, 64],
    ]);
  });

  it('adds up the memory of two processes on a device, which use the same addresses', () => {
    const tables = 'info_process info_agent string event region kernel_dispatch memory_allocate'.split(' ');
    const copies = tables.map((table) => `CREATE TABLE rocpd_${table}_b AS SELECT * FROM rocpd_${table}$;`).join('');
    const path = written((database) => {
      database.allocation('ALLOC', [10, 20], 0x100, 512);
    }, `${copies} UPDATE rocpd_memory_allocate_b SET start = start + 500, end = end + 500, size = 100`); // prettier-ignore
    expect(samplesOf(path).map(([start, , value]) => [start, value])).to.deep.equal([
      [20, 512],
      [520, 612],
    ]);
  });

  it('states the thread of work whose call is not recorded', () => {
    const path = written((database) => {
      database.kernel('scale', [10_000, 12_000], 9, SHAPE);
      database.copy('HOST_TO_DEVICE', [100, 150], 3, 4096, [AGENTS.cpu, AGENTS.gpu]);
    });
    expect(onlyKernelOf(path)).to.deep.include({ pid: 4242, tid: 4250, launch: null, corr: 9 });
    expect(copiesOf(path)[0]).to.deep.include({ pid: 4242, tid: 4250, launch: null });
  });

  it('takes no function of roctx that pauses the tracer or names a thread for a range', () => {
    const path = written((database) => {
      database.region('roctxProfilerPause', [10, 10], database.event('MARKER_CONTROL_API', 0));
      database.region('roctxNameOsThread', [20, 30], database.event('MARKER_NAME_API', 0, '{"message": "worker"}'));
      database.range('forward', [500, 13_000]);
      launched(database);
    });
    const ranges = recordsOf(path, { ranges: true }).filter((record) => record.type === 'range');
    expect(ranges.filter(({ kind }) => kind !== 'api').map((range) => 'text' in range && range.text)).to.deep.equal(['forward']); // prettier-ignore
    expect(headerOf(path).facts?.['not_read']).to.equal('region MARKER_CONTROL_API: 1, region MARKER_NAME_API: 1');
  });
});

describe('rocpd: marks', () => {
  it('are ranges without length, with the text of their event, on the thread of their track', () => {
    const path = written(
      launched,
      `INSERT INTO rocpd_string$ (id, guid, string) VALUES (900, '', 'MARKER_CORE_API');
       INSERT INTO rocpd_info_process$ (id, guid, pid) VALUES (80, '', 15);
       INSERT INTO rocpd_info_thread$ (id, guid, tid) VALUES (81, '', 16);
       INSERT INTO rocpd_track$ (id, guid, pid, tid, name_id) VALUES (900, '', 80, 81, 900);
       INSERT INTO rocpd_event$ (id, guid, category_id, stack_id, extdata) VALUES (900, '', 900, 77, '{"message": "here"}');
       INSERT INTO rocpd_sample$ (id, guid, track_id, timestamp, event_id) VALUES (900, '', 900, 1006000, 900)`,
    );
    const ranges = recordsOf(path, { ranges: true }).filter((record) => record.type === 'range');
    const mark = ranges.find((range) => 'text' in range && range.text === 'here');
    // The call begins 1000 ns and the mark 6000 ns after the tracer.
    expect(mark).to.deep.include({ dur: 0, pid: 15, tid: 16 });
    expect((mark?.start ?? NaN) - (ranges.find((range) => range.kind === 'api')?.start ?? NaN)).to.equal(5000);
    expect(headerOf(path).facts?.['not_read']).to.equal(undefined);
  });
});

describe('rocpd: waits', () => {
  const waitsOf = (path: string): unknown[] =>
    recordsOf(path).flatMap((record) => record.type === 'sync' ? [[record.kind, record.device, record.stream, record.dur]] : []); // prettier-ignore
  /** A call with the address of a stream. */
  const onStream = (database: RocpdDatabase, name: string, start: number, stack: number, address: string): void => {
    const event = database.event('HIP_RUNTIME_API_EXT', stack);
    database.region(name, [start, start + 500], event);
    database.argument(event, 'stream', address);
  };

  it('of the host name the stream whose launches state the same address', () => {
    const path = written((database) => {
      onStream(database, 'hipLaunchKernel', 1000, 9, '0x10');
      database.kernel('scale', [2000, 3000], 9, { ...SHAPE, stream: 8 });
      onStream(database, 'hipStreamSynchronize', 4000, 10, '0x10');
      onStream(database, 'hipStreamSynchronize', 5000, 11, '0x20');
      database.call('hipDeviceSynchronize', [6000, 6100], 12);
    });
    // No kernel shows which stream 0x20 is.
    expect(waitsOf(path)).to.deep.equal([
      ['stream', 0, 8, 500],
      ['context', 0, null, 100],
    ]);
  });

  it('for a device are unknown where several are used', () => {
    const path = written((database) => {
      launched(database);
      database.kernel('other', [20_000, 21_000], 9, { ...SHAPE, stream: 4 });
      database.call('hipDeviceSynchronize', [30_000, 31_000], 12);
    }, `UPDATE rocpd_kernel_dispatch$ SET agent_id = ${AGENTS.secondGpu} WHERE stream_id = 4`);
    expect(waitsOf(path)).to.deep.equal([]);
  });

  it('of streams for an event are barriers; the ends of recorded events are counted', () => {
    const columns = 'guid, pid, tid, agent_id, stream_id, start, end, name_id, event_id';
    const path = written(
      launched,
      `CREATE TABLE rocpd_hip_event$ (id INTEGER PRIMARY KEY, ${columns});
       INSERT INTO rocpd_string$ (id, guid, string) VALUES (900, '', 'HIP_EVENT_WAIT'), (901, '', 'HIP_EVENT_RECORD');
       INSERT INTO rocpd_hip_event$ (${columns}) VALUES ('', 15, 16, 1, 8, 1020000, 1023000, 900, NULL), ('', 15, 16, 1, 0, 1018000, 1019000, 901, NULL)`,
    );
    expect(waitsOf(path)).to.deep.equal([['stream-wait-event', 0, 8, 3000]]);
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'hip_event HIP_EVENT_RECORD: 1' });
  });
});

describe('rocpd: bandwidth of devices', () => {
  // Transfers for each clock, times clock, times bytes of the width: 4 · 1300 MHz · 8192 / 8 and so on.
  const cases: readonly (readonly [arch: string, bits: number, megahertz: number, bytesPerS: number | null])[] = [
    ['gfx942', 8192, 1300, 5_324_800_000_000],
    ['gfx90a', 4096, 1600, 1_638_400_000_000],
    ['gfx1100', 256, 1124, 575_488_000_000],
    ['gfx1151', 256, 1000, null],
  ];
  for (const [arch, bits, megahertz, bytesPerS] of cases)
    it(`of ${arch} is that of its largest memory`, () => {
      const banks = `{"mem_banks": [{"width": 64, "mem_clk_max": 1, "size_in_bytes": 10}, {"width": ${bits}, "mem_clk_max": ${megahertz}, "size_in_bytes": 20}]}`;
      const path = written(launched, `UPDATE rocpd_info_agent$ SET name = '${arch}', extdata = '${banks}'`);
      expect(headerOf(path).devices[0]).to.deep.include({ memBytes: 20, memBytesPerS: bytesPerS });
    });
});

describe('rocpd: call stacks', () => {
  it('are those of the call that launched a kernel: a row for each frame, the innermost first', () => {
    const path = written(
      launched,
      `CREATE TABLE rocpd_call_stack$ (id INTEGER PRIMARY KEY, event_id, pc_id, depth);
       CREATE TABLE rocpd_info_pc$ (id INTEGER PRIMARY KEY, function TEXT, file TEXT, line INTEGER);
       INSERT INTO rocpd_info_pc$ VALUES (1, 'scale', 'net.cpp', 12), (2, 'step', '', NULL), (3, 'main', 'main.cpp', 40);
       INSERT INTO rocpd_call_stack$ (event_id, pc_id, depth)
         SELECT event_id, pc, pc - 1 FROM rocpd_region$, (SELECT 3 AS pc UNION SELECT 1 UNION SELECT 2);
       INSERT INTO rocpd_call_stack$ (event_id, pc_id, depth) VALUES (900, 1, 0)`,
    );
    expect(onlyKernelOf(path).trace).to.deep.equal(['main.cpp:40', 'step', 'net.cpp:12']);
    // Event 900 launched no kernel.
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'call stacks of events without kernels: 1' });
  });

  it('are in JSON before: one frame, whose line may be apart; any other form is counted', () => {
    const path = (frames: string, line = '{}') =>
      written(
        launched,
        `UPDATE rocpd_event$ SET call_stack = '${frames}', line_info = '${line}'
           WHERE id IN (SELECT event_id FROM rocpd_region$)`,
      );
    const trace = (...stack: [string, string?]) => onlyKernelOf(path(...stack)).trace;
    expect(trace('{"name": "scale", "file": "net.cpp"}', '{"line": 12}')).to.deep.equal(['net.cpp:12']);
    expect(trace('{"name": "scale", "file": "net.cpp"}')).to.deep.equal(['scale']);
    expect(trace('{"name": "scale"}', '{"line_address": "0x12"}')).to.deep.equal(['scale']);
    const lists = ['[{"name": "scale"}, {"name": "main"}]', '["scale", "main"]'];
    for (const other of [...lists, '7', '"scale"', '{"pc": 5}', '{"name": 7}', 'cut {']) {
      expect(trace(other), other).to.deep.equal([]);
      expect(headerOf(path(other)).facts, other).to.deep.equal({ not_read: 'call stacks in another form: 1' });
    }
  });
});

describe('rocpd: what is missing', () => {
  it('counts rows of tables that are not read', () => {
    const path = written(
      launched,
      `CREATE TABLE rocpd_graph_launch$ AS SELECT 1 AS id, 5 AS start, 6 AS end;
       CREATE TABLE rocpd_call_stack$ (id INTEGER PRIMARY KEY, event_id, pc_id, depth);
       INSERT INTO rocpd_call_stack$ (event_id, pc_id, depth) VALUES (1, 1, 0), (1, 2, 1)`,
    );
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'rocpd_call_stack: 2, rocpd_graph_launch: 1' });
  });

  it('reads the runs of one machine, since clocks of several cannot be compared', () => {
    const tables = 'info_node info_process info_thread info_agent info_kernel_symbol string event region kernel_dispatch'; // prettier-ignore
    const copies = tables.split(' ').map((table) => `CREATE TABLE rocpd_${table}_b AS SELECT * FROM rocpd_${table}$;`); // prettier-ignore
    const path = written(launched, `INSERT INTO rocpd_info_node$ (id, guid, machine_id) VALUES (1, '', 'm1');
      ${copies.join('')} UPDATE rocpd_info_node_b SET machine_id = 'm2'`); // prettier-ignore
    expect(onlyKernelOf(path).start).to.equal(10_000);
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'run on another machine: 1' });
  });

  it('says which option records kernels where there are only calls', () => {
    const path = written((database) => { database.call('hipInit', [0, 5], 1); }); // prettier-ignore
    expect(diagnosticsOf(path)).to.deep.equal({ 'work-not-recorded': 1 });
  });

  it('says that a database of rocprof-compute has no kernels over time', async () => {
    const path = freshPath('.db');
    const database = new Database(path);
    database.exec('CREATE TABLE compute_workload (id); CREATE TABLE compute_kernel (id)');
    database.close();
    expect((await runCli('dparse', [path])).stderr).to.match(/is a rocprof-compute database.*rocprofv3 --sys-trace/);
  });

  it('names the first table that is missing', async () => {
    const { stderr, code } = await runCli('dparse', [written(launched, 'DROP VIEW rocpd_event')]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/_results\.db: has no table rocpd_event \(record it again with rocprofv3\)\n$/);
  });
});

/** Figures of a real profile, of plain SQL over its tables. */
function figures(records: readonly ProfileLine[]): Readonly<Record<string, unknown>> {
  const sum = (values: readonly (number | null)[]): number =>
    values.reduce<number>((all, value) => all + (value ?? 0), 0);
  const kernels = records.filter((record) => record.type === 'kernel');
  const copies = records.filter((record) => record.type === 'copy');
  const apis: Record<string, number> = {};
  for (const { launch } of [...kernels, ...copies])
    apis[launch?.api ?? 'none'] = (apis[launch?.api ?? 'none'] ?? 0) + 1;
  return {
    kernels: [kernels.length, sum(kernels.map(({ dur }) => dur)), new Set(kernels.map(({ name }) => name)).size],
    copies: [copies.length, sum(copies.map(({ dur }) => dur)), sum(copies.map(({ bytes }) => bytes))],
    ...{ apis, calls: records.filter((record) => record.type === 'range').length },
    samples: records.filter((record) => record.type === 'sample').length,
    waits: records.filter((record) => record.type === 'sync').length,
  };
}

describe('rocpd: real files', () => {
  const REAL = {
    'rocpd/bmm_mi300x_results.db': { kernels: [301, 2_594_734, 2], copies: [0, 0, 0], apis: { hipLaunchKernel: 150, hipMemset: 151 }, calls: 624, samples: 0, waits: 3 },
    'rocpd/trace_mi300x_results.db': { kernels: [301, 11_029_243, 2], copies: [0, 0, 0], apis: { hipLaunchKernel: 150, hipMemset: 151 }, calls: 623, samples: 0, waits: 3 },
    'rocpd/transpose_w7800_api_only_results.db': { kernels: [0, 0, 0], copies: [0, 0, 0], apis: {}, calls: 4132, samples: 0, waits: 0 },
    'rocprofsys/transpose_w7800_rocpd.db': { kernels: [1004, 4_494_969_266, 2], copies: [48, 141_245_920, 1_574_502_400], apis: { hipLaunchKernel: 1000, hipMemsetAsync: 4, hipMemcpyAsync: 48 }, calls: 2130, samples: 1296, waits: 107 },
  }; // prettier-ignore
  for (const [file, expected] of Object.entries(REAL))
    itShared(`equals the tables of ${file}`, [`data/amd/${file}`], ([path = '']) => {
      expect(figures(recordsOf(path, { ranges: true }))).to.deep.equal(expected);
    });
});
