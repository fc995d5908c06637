/**
 * Reader for system profiles of Neuron Explorer, a folder of Parquet tables: the use of the host's CPUs and memory and of
 * the devices' memory over time, and what the runtime and the framework did. Source: AWS's profile schema reference,
 * versions 7.4 and 12.0. It does not say what the events of devices are, so these are counted.
 */
import { CPU_BUSY_METRIC } from '../../../record/sample-metrics.js';
import type { Labels } from '../../../record/record.js';
import { ProcessIds } from '../../trace/threads.js';
import type { Reader } from '../../reader.js';
import { databaseTrace, type DatabaseTrace } from '../../sqlite/database-trace.js';
import type { Cell, Selection } from '../../sqlite/sqlite.js';
import { countUnreadTables } from '../../unread-events.js';

const [EVENTS, CPUS, MEMORY, HBM] = ['SystemProfileEvents', 'CpuUsage', 'HostMemUsage', 'SystemProfileHbmUsage'];
const TIMES = [[EVENTS, 'start_ts'], ...[CPUS, MEMORY, HBM].map((table) => [table, 'timestamp'] as const)] as const;

export const neuronSystem: Reader = {
  id: 'neuron-system',
  title: 'neuron-explorer system profile (a folder with SystemProfileEvents.parquet)',
  reads: 'database',
  tableNames: [EVENTS],
  docs: {
    profiler: 'AWS Neuron',
    input: 'neuron-explorer system profile',
    made: [
      '`neuron-explorer view -d FOLDER --ingest-only --data-path OUT --display-name NAME`: the folder `NAME@latest`',
    ],
    read: [
      'Over time: the use of each host CPU and of all together, and the host and device memory in use. With `--ranges`: events of the Neuron Runtime (domain `neuron_rt`) and of the framework (`framework`). Events of devices (`neuron_hw`) are counted, since the schema does not say what they are. Instance ids are not read; several instances are numbered. The names come from the published schema; no file written by the tool was available for testing.',
    ],
  },
  sniff: ({ database }) => database?.has(EVENTS) === true || (database?.has(CPUS) === true && database.has(MEMORY)),
  read(probe, options) {
    const profile = databaseTrace(probe, TIMES);
    const { database, trace, clock } = profile;
    const instances = new Instances(profile);
    readEvents(profile, instances);
    readCpus(profile, instances);
    readMemory(profile, instances);
    countUnreadTables(database, TIMES.map(([table]) => table), { count: (table, rows) => trace.unread(table, null, rows) }); // prettier-ignore
    const [about] = database.cells('SystemProfileMetadata', { first: 'first_ts_ns', last: 'last_ts_ns' });
    const { base } = clock;
    if (base !== null && base >= wholeOf(about?.first) && base <= wholeOf(about?.last)) trace.origin(base);
    return trace.records({ format: neuronSystem.id, tool: 'neuron-explorer', devices: [] }, options);
  },
};

/** A whole number in a string; -1 for any other value. */
const wholeOf = (cell: Cell | undefined): bigint => (/^\d{1,19}$/.test(String(cell)) ? BigInt(String(cell)) : -1n);

/** The instances that the tables name, numbered in order of their ids. */
class Instances {
  readonly #numbers: ReadonlyMap<Cell, number>;

  constructor({ database }: DatabaseTrace) {
    const ids = new Set<Cell>();
    for (const [table] of TIMES)
      for (const { id } of database.cells(table, { id: 'instance_id' })) if (id !== null) ids.add(id);
    this.#numbers = new Map([...ids].sort().map((id, number) => [id, number]));
  }

  get areSeveral(): boolean {
    return this.#numbers.size > 1;
  }

  /** Labels of a series, with the instance if there are several. */
  labelsOf(id: Cell, labels: Labels = {}): Labels {
    const number = this.#numbers.get(id);
    return this.areSeveral && number !== undefined ? { ...labels, instance: number } : labels;
  }
}

/** What the runtime and the framework did on the host's threads. */
function readEvents({ database, trace, clock }: DatabaseTrace, instances: Instances): void {
  const pids = new ProcessIds();
  const columns = {
    ...{ text: 'name', source: 'trace_event_source', instance: 'instance_id', pid: 'process_id', tid: 'thread_id' },
    ...{ start: clock.since('start_ts'), end: clock.since('end_ts') },
  };
  for (const { source, instance, pid, ...row } of database.cells(EVENTS, columns)) {
    if (source !== 'neuron_rt' && source !== 'framework')
      trace.unread(`${EVENTS} of ${String(source ?? 'unknown source')}`, row.start);
    else {
      const process = pids.of(instances.areSeveral ? instance : null, typeof pid === 'number' ? pid : null);
      trace.range({ ...row, pid: process, domain: source });
    }
  }
}

/** Each value is the average over the second before its time. */
const SECOND = 1e9;

/** Yields the rows with a time. Rows without one are counted as bad, because they would count for the whole profile. */
function* timed<Name extends string>(
  { database, trace }: DatabaseTrace,
  table: string,
  select: Readonly<Record<Name | 'start', Selection>>,
): Generator<Readonly<Record<Name | 'start', Cell>>> {
  for (const row of database.cells(table, select))
    if (typeof row.start === 'number') yield row;
    else trace.bad('bad-row');
}

/** Use of each CPU, and of all on average; and how many CPUs of the only instance were busy. */
function readCpus(profile: DatabaseTrace, instances: Instances): void {
  const { trace, clock } = profile;
  /** Sum of the CPUs' shares by time; NaN where one is unknown. */
  const busy = new Map<number, number>();
  const columns = { start: clock.since('timestamp'), value: 'util_percent', cpu: 'cpu_id', instance: 'instance_id' };
  for (const { start, value, cpu, instance } of timed(profile, CPUS, columns)) {
    const end = Number(start);
    const isOfOne = /^\d{1,9}$/.test(String(cpu));
    if (!isOfOne && cpu !== 'average') {
      trace.unread(`${CPUS} of ${String(cpu ?? 'an unknown CPU')}`, end);
      continue;
    }
    const labels = instances.labelsOf(instance, isOfOne ? { cpu: Number(cpu) } : {});
    trace.sample({ start: end - SECOND, end, metric: 'vcpu_usage', unit: '%', value, labels });
    if (isOfOne) busy.set(end, (busy.get(end) ?? 0) + (typeof value === 'number' ? value / 100 : NaN));
  }
  if (instances.areSeveral) return;
  for (const [end, value] of busy)
    trace.sample({ start: end - SECOND, end, metric: CPU_BUSY_METRIC, unit: 'count', value });
}

/** Memory in use: of the host, and of devices, which the tables number within the instance. */
function readMemory(profile: DatabaseTrace, instances: Instances): void {
  const { trace, clock } = profile;
  const start = clock.since('timestamp');
  const host = { start, bytes: 'used_bytes', percent: 'used_percent', instance: 'instance_id' };
  for (const { bytes, percent, instance, ...row } of timed(profile, MEMORY, host)) {
    const labels = instances.labelsOf(instance);
    trace.sample({ ...row, metric: 'memory_used_bytes', unit: 'bytes', value: bytes, labels });
    if (percent !== null) trace.sample({ ...row, metric: 'memory_usage', unit: '%', value: percent, labels });
  }
  const devices = { start, value: 'total_bytes', device: 'device_idx', hbm: 'hbm_idx', instance: 'instance_id' };
  for (const { device, hbm, instance, ...row } of timed(profile, HBM, devices)) {
    const place = { neuron_device: Number(device ?? NaN), hbm: Number(hbm ?? NaN) };
    const known = Object.fromEntries(Object.entries(place).filter(([, number]) => !Number.isNaN(number)));
    trace.sample({ ...row, metric: 'memory_used', unit: 'bytes', labels: instances.labelsOf(instance, known) });
  }
}
