import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explorerSystemTables } from '../../../../samples/programs/write-parquet.js';
import type { Row } from '../../../../samples/programs/write-tables.js';
import { freshFolder } from '../../../support/fresh-path.js';
import { readInput } from '../../../support/read-input.js';
import { runCli } from '../../../support/run-cli.js';

type Tables = Readonly<Record<string, readonly Row[]>>;
type Line = Readonly<Record<string, unknown>>;

/** A Unix time in ns that no double holds. */
const ZERO = 1_766_072_156_592_459_483n;
const instance_id = 'i-0b1ea78ca2865fd32';
const METADATA = [{ first_ts_ns: String(ZERO), last_ts_ns: String(ZERO + 9_000_000_000n) }];
const event = (name: string, source: string, [start, end]: readonly [number, number], more: Row = {}): Row => ({
  ...{ name, trace_event_source: source, instance_id, process_id: 701, thread_id: 5, ...more },
  ...{ start_ts: ZERO + BigInt(start), end_ts: ZERO + BigInt(end), duration_ns: BigInt(end - start) },
});
const cpu = (second: number, cpu_id: string, util_percent: number | null, more: Row = {}): Row => ({
  ...{ timestamp: ZERO + BigInt(second * 1e9), util_percent, cpu_id, instance_id, ...more },
});
const memory = (second: number, used_bytes: bigint | null, used_percent: number | null): Row => ({
  ...{ timestamp: ZERO + BigInt(second * 1e9), used_bytes, used_percent, instance_id },
});

function written(tables: Tables): string {
  const folder = join(freshFolder(), 'train@latest');
  mkdirSync(folder);
  for (const [name, bytes] of Object.entries(explorerSystemTables(tables))) writeFileSync(join(folder, name), bytes);
  return folder;
}

async function linesOf(tables: Tables): Promise<Line[]> {
  const { records, lines } = await readInput(written(tables));
  expect(lines).to.deep.equal([]);
  return records.map((line) => JSON.parse(line) as Line);
}

const samplesIn = (lines: readonly Line[]): unknown[] =>
  lines
    .filter(({ type }) => type === 'sample')
    .map(({ start, dur, metric, value, unit, labels }) => [start, dur ?? null, metric, value, unit, labels ?? {}]);

describe('system profiles of Neuron Explorer', () => {
  it('give the use of CPUs over the second before each time, and how many were busy', async () => {
    const rows = [cpu(2, '0', 50), cpu(2, '1', 25), cpu(2, 'average', 37.5), cpu(3, '0', 100), cpu(3, '1', null)];
    const lines = await linesOf({ SystemProfileMetadata: METADATA, CpuUsage: rows, HostMemUsage: [memory(3, 3n * 2n ** 40n, 75)] }); // prettier-ignore
    // The first second ends 2 s after the trace's start: it begins 1 s after it.
    expect(lines[0]).to.deep.include({
      format: 'neuron-system',
      startUnixNs: String(ZERO + 1_000_000_000n),
      devices: [],
    });
    expect(samplesIn(lines)).to.have.deep.members([
      [0, 1e9, 'vcpu_usage', 50, '%', { cpu: 0 }],
      [0, 1e9, 'vcpu_usage', 25, '%', { cpu: 1 }],
      [0, 1e9, 'vcpu_usage', 37.5, '%', {}],
      [0, 1e9, 'cpu_busy', 0.75, 'count', {}],
      [1e9, 1e9, 'vcpu_usage', 100, '%', { cpu: 0 }],
      [1e9, 1e9, 'vcpu_usage', null, '%', { cpu: 1 }],
      [1e9, 1e9, 'cpu_busy', null, 'count', {}],
      [2e9, null, 'memory_used_bytes', 3 * 2 ** 40, 'bytes', {}],
      [2e9, null, 'memory_usage', 75, '%', {}],
    ]);
    expect(JSON.stringify(lines)).not.to.include(instance_id);
  });

  it('give events of the runtime and the framework as ranges, and count those of devices', async () => {
    const events = [
      event('nrt_execute', 'neuron_rt', [1000, 5000]),
      event('forward', 'framework', [0, 6000], { thread_id: 6 }),
      event('nc_exec_running', 'neuron_hw', [2000, 4000], { nc_idx: 3n }),
    ];
    const path = written({ SystemProfileMetadata: METADATA, SystemProfileEvents: events });
    const { stdout, code } = await runCli('dparse', ['-q', '--ranges', path]);
    expect(code).to.equal(0);
    const lines = stdout.trim().split('\n').map((line) => JSON.parse(line) as Line); // prettier-ignore
    expect(lines[0]).to.deep.include({ facts: { not_read: 'SystemProfileEvents of neuron_hw: 1' } });
    const ranges = lines.filter(({ type }) => type === 'range');
    expect(ranges.map(({ start, dur, text, domain, pid, tid }) => [start, dur, text, domain, pid, tid])).to.deep.equal([
      [0, 6000, 'forward', 'framework', 701, 6],
      [1000, 4000, 'nrt_execute', 'neuron_rt', 701, 5],
    ]);
  });

  it('number several instances, whose processes are their own, and add up no CPUs of them', async () => {
    const other = { instance_id: 'i-00000000000000000' };
    const lines = await linesOf({
      CpuUsage: [cpu(2, '0', 50), cpu(2, '0', 70, other)],
      HostMemUsage: [memory(2, 5n, null)],
    });
    expect(lines[0]).to.deep.include({ startUnixNs: null });
    expect(samplesIn(lines)).to.have.deep.members([
      [0, 1e9, 'vcpu_usage', 70, '%', { cpu: 0, instance: 0 }],
      [0, 1e9, 'vcpu_usage', 50, '%', { cpu: 0, instance: 1 }],
      [1e9, null, 'memory_used_bytes', 5, 'bytes', { instance: 1 }],
    ]);
  });

  it('give the memory of devices, count rows without a time and CPUs of other names, and lack columns', async () => {
    const hbm = { timestamp: ZERO, total_bytes: 4096n, device_idx: 2n, hbm_idx: 1n };
    const lines = await linesOf({
      SystemProfileHbmUsage: [hbm, { ...hbm, timestamp: null }],
      CpuUsage: [cpu(2, 'max', 5)],
      HostMemUsage: [{ timestamp: ZERO }],
    });
    expect(samplesIn(lines)).to.have.deep.members([
      [0, null, 'memory_used', 4096, 'bytes', { neuron_device: 2, hbm: 1 }],
      [0, null, 'memory_used_bytes', null, 'bytes', {}],
    ]);
    expect(lines.at(-1)).to.deep.include({ diagnostics: { 'bad-row': 1, 'event-not-read': 1 } });
    expect(lines[0]?.['facts']).to.deep.equal({ not_read: 'CpuUsage of max: 1' });
  });

  it('with a bad table are one line, as is a table by itself', async () => {
    const tables = { SystemProfileMetadata: METADATA, CpuUsage: [cpu(2, '0', 50)] };
    const bytes = explorerSystemTables(tables)['CpuUsage.parquet'] ?? Buffer.alloc(0);
    for (const [content, line] of [
      [bytes.subarray(0, bytes.length / 2), /CpuUsage\.parquet: is not a Parquet file, or is damaged/],
      [Buffer.alloc(0), /CpuUsage\.parquet: is not a Parquet file, or is damaged/],
      [null, /CpuUsage\.parquet: cannot be read: is a directory/],
    ] as const) {
      const folder = written(tables);
      const path = join(folder, 'CpuUsage.parquet');
      rmSync(path);
      if (content === null) mkdirSync(path);
      else writeFileSync(path, content);
      const { lines, records } = await readInput(folder);
      expect(records).to.deep.equal([]);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(line);
    }
    const { lines } = await readInput(join(written(tables), 'CpuUsage.parquet'));
    expect(lines.join('\n')).to.match(/is a Neuron Explorer table \(give the folder with all tables\)/);
  });
});
